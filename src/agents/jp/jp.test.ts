import { closeSync, openSync, readdirSync, utimesSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance } from '../../../test/support/agent-conformance.ts'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import {
  BASE,
  EVENTS_FIXTURE,
  ID,
  linkStorage,
  META,
  putConversation,
  putWorkspace,
  SILO,
  WHOLE,
} from '../../../test/support/jp/store.ts'
import { discoverAll, discoverSessions, readNamed, recognisedBy, resumeFrom } from '../../../test/support/reading.ts'
import { locationsOf } from '../store.ts'
import { jp } from './index.ts'

const SESSION = `jp-c${ID}`

conformance({
  name: 'jp',
  agent: jp,
  store: 'conversations',
  make: home => ({ sessionId: SESSION, file: join(putConversation(home), 'events.json'), messages: 5 }),
  makeLarge,
  afterCut: 'prefix',
})

describe('a conversation', () => {
  test('is given with thinking, calls, results, questions, times and models', async () => {
    const home = temporaryHome()
    putConversation(home)
    const { messages, end } = await readNamed(jp, environmentOf(home), SESSION)
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'assistant',
      'tool',
      'system',
      'system',
      'assistant',
    ])
    expect(messages.flatMap(({ parts }) => parts)).toEqual([
      { type: 'text', text: 'Add a price field to the cart' },
      { type: 'thinking', text: 'The cart comes first.' },
      { type: 'tool-call', id: 'toolu_1', name: 'fs_read_file', input: { path: 'src/cart.ts', lines: ['1', 3] } },
      { type: 'tool-result', id: 'toolu_1', output: 'export const cart = []', isError: false },
      { type: 'notice', text: 'fs_modify_file asked: Apply?' },
      { type: 'notice', text: 'Answered: true' },
      { type: 'text', text: 'Done – für alle Währungen 💶.' },
    ])
    expect(messages[1]).toMatchObject({ time: '2026-11-01T10:00:03.467Z', model: 'anthropic/claude-x' })
    expect(end.counts).toEqual({ records: 9, bookkeeping: 2, unknown: 0, skipped: 0 })
    expect(end.facts).toEqual({
      title: 'Price field in the cart',
      project: '/home/dev/shop',
      startedAt: '2026-11-01T10:00:00.000Z',
      updatedAt: '2026-11-01T10:00:06.000Z',
      model: 'google/gemini-x',
    })
  })

  test.each([
    ['three files', {}],
    ['init_config.json beside them', { 'init_config.json': { timestamp: '2026-11-01 10:00:00.0', delta: {} } }],
    [
      'the config in the first event',
      {
        'base_config.json': undefined,
        'events.json': withFirst({ type: 'config_delta', timestamp: '2026-11-01 10:00:00.0', delta: BASE }),
      },
    ],
  ])('in the layout with %s is read completely', async (_, files) => {
    const home = temporaryHome()
    putConversation(home, { ...WHOLE, ...files })
    const { messages, end } = await readNamed(jp, environmentOf(home), SESSION)
    expect(messages).toHaveLength(7)
    expect(end).toMatchObject({ type: 'complete', findings: [], facts: { model: 'google/gemini-x' } })
  })

  test('whose config stands in the first event itself is read, and JP cannot load it', async () => {
    const home = temporaryHome()
    const first = { type: 'config_delta', timestamp: '2026-11-01 10:00:00.0', ...BASE }
    putConversation(home, { ...WHOLE, 'base_config.json': undefined, 'events.json': withFirst(first) })
    const { messages, end } = await readNamed(jp, environmentOf(home), SESSION)
    expect(messages).toHaveLength(7)
    expect(end.findings).toMatchObject([{ damage: 'outdated-layout', severity: 'survived' }])
  })

  test('of the time before events is read from its pairs of messages', async () => {
    const home = temporaryHome()
    const time = '2025-05-02 16:43:28.835976'
    const call = { id: 'c1', name: 'cargo_check', arguments: { package: 'x' } }
    const pairs = [
      {
        timestamp: time,
        message: 'Check it',
        reply: { provider: 'anthropic', content: 'I check.', tool_calls: [call] },
      },
      {
        timestamp: time,
        message: [{ id: 'c1', content: 'ok', error: false }],
        reply: { reasoning: 'Fine.', content: 'All is well.' },
      },
    ]
    putConversation(home, { 'metadata.json': META, 'messages.json': pairs })
    const { messages, end } = await readNamed(jp, environmentOf(home), SESSION)
    expect(messages.map(({ id, role }) => `${id} ${role}`)).toEqual([
      '0q user',
      '0a assistant',
      '1q tool',
      '1a assistant',
    ])
    expect(messages[1]?.parts).toEqual([
      { type: 'text', text: 'I check.' },
      { type: 'tool-call', id: 'c1', name: 'cargo_check', input: { package: 'x' } },
    ])
    expect(end.findings.map(({ damage }) => damage)).toEqual(['outdated-layout'])
    expect(end).toMatchObject({ loads: 0, loadsRepaired: 0 })
    expect(end.findings[0]?.hint).toMatch(/^Read it: rethread show jp-c/)
  })

  test('leaves unknown events, and known ones with a wrong shape, unchanged', async () => {
    const home = temporaryHome()
    const odd = { timestamp: '2026-11-01 10:00:00.0', type: 'hologram', event_id: 7 }
    const bad = { timestamp: '2026-11-01 10:00:00.0', type: 'chat_request', content: null }
    putConversation(home, { ...WHOLE, 'events.json': [odd, bad] })
    const { messages, end } = await readNamed(jp, environmentOf(home), SESSION)
    expect(messages.map(({ parts }) => parts[0])).toEqual([
      { type: 'unknown', recordType: 'hologram', value: odd },
      { type: 'unknown', recordType: 'chat_request', value: bad },
    ])
    expect(end.counts.unknown).toBe(2)
    expect(end.findings).toMatchObject([{ damage: 'malformed-record', text: expect.stringContaining('[1].content') }])
  })

  test.each([
    ['no metadata', { 'metadata.json': undefined }, 'lost-header', 'missing'],
    [
      'broken metadata',
      { 'metadata.json': '{"title":' },
      'unreadable-file',
      'EOF while parsing a value at line 1 column 9',
    ],
    [
      'a base config without a model',
      { 'base_config.json': { conversation: BASE.conversation } },
      'unreadable-file',
      'assistant.model.id is missing',
    ],
    [
      'a comma too many',
      { 'events.json': '[{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"},]' },
      'trailing-comma',
      'trailing comma at line 1 column 60',
    ],
  ])('with %s says so, and what repairs it', async (_, files, damage, text) => {
    const home = temporaryHome()
    putConversation(home, { ...WHOLE, ...files })
    const { end } = await readNamed(jp, environmentOf(home), SESSION)
    expect(end.type).toBe('complete')
    expect(end.findings).toMatchObject([
      {
        damage,
        severity: 'survived',
        hint: `Repair it before JP runs again: rethread sanitize ${join(home, SILO)}`,
      },
    ])
    expect(end.findings[0]?.text).toContain(text)
    expect(end.loads).toBe(0)
  })

  test('without its title has what is left of it in the name of its folder', async () => {
    const home = temporaryHome()
    putConversation(home, { ...WHOLE, 'metadata.json': undefined })
    const { end } = await readNamed(jp, environmentOf(home), SESSION)
    expect(end.facts.title).toBe('price field in the cart')
  })

  test('without events is an error that names the command', async () => {
    const home = temporaryHome()
    putConversation(home, { 'metadata.json': META })
    await expect(readNamed(jp, environmentOf(home), SESSION)).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('rethread sanitize'),
    })
  })
})

describe('finding conversations', () => {
  test('storage is searched where JP searches, and at and above the working folder', () => {
    const paths = (variables: Record<string, string>, folder?: string) =>
      locationsOf(jp, {
        ...environmentOf('/home/dev', variables),
        ...(folder === undefined ? {} : { folder }),
      }).map(({ location }) => location.path)
    expect(paths({})).toEqual(['/home/dev/.local/share/jp/workspace'])
    expect(paths({ XDG_DATA_HOME: '/data' })).toEqual(['/data/jp/workspace'])
    expect(paths({ XDG_DATA_HOME: 'relative' })).toEqual(['/home/dev/.local/share/jp/workspace'])
    expect(paths({ XDG_DATA_HOME: '/data', JP_USER_DATA_DIR: '/own' })).toEqual(['/own/workspace'])
    expect(paths({}, '/work/shop')).toEqual([
      '/home/dev/.local/share/jp/workspace',
      '/work/shop/.jp',
      '/work/.jp',
      '/.jp',
    ])
  })

  test('what is in both roots is one conversation, in the copy that JP would take', async () => {
    const home = temporaryHome()
    const folder = putWorkspace(home)
    linkStorage(home, join(folder, '.jp'))
    const local = putConversation(home)
    putConversation(home, WHOLE, '17935279999')
    putWorkspace(home, { ...WHOLE, 'metadata.json': { ...META, title: 'Elsewhere' } }, '17935278888-only-here')
    const own = join(folder, '.jp/conversations', basename(local))
    touch(local, 1000)
    touch(own, 2000)
    const newer = await discoverSessions(jp, environmentOf(home))
    expect(newer.map(({ sessionId }) => sessionId)).toEqual([SESSION, 'jp-c17935279999', 'jp-c17935278888'])
    expect(newer[0]).toMatchObject({
      filePath: join(own, 'events.json'),
      storeRoot: join(folder, '.jp'),
      copies: [local],
      project: folder,
    })
    touch(own, 1000)
    const equal = await discoverSessions(jp, environmentOf(home))
    expect(equal[0]).toMatchObject({ filePath: join(local, 'events.json'), copies: [own] })
    expect(equal[0]?.identity).not.toBe(newer[0]?.identity)
  })

  test('damage of the copy that JP does not read is reported too', async () => {
    const home = temporaryHome()
    const folder = putWorkspace(home, { ...WHOLE, 'metadata.json': '{' })
    linkStorage(home, join(folder, '.jp'))
    touch(putConversation(home), 2_000_000_000)
    const { end } = await readNamed(jp, environmentOf(home), SESSION)
    expect(end.findings).toMatchObject([{ damage: 'unreadable-file', at: { file: expect.stringContaining(folder) } }])
  })

  test('a link to a folder that is not this workspace is not followed', async () => {
    const home = temporaryHome()
    const folder = putWorkspace(home, WHOLE, '17935271111-foreign')
    put(folder, '.jp/.id', 'Do not edit this file.\nzzzzz\n')
    linkStorage(home, join(folder, '.jp'))
    putConversation(home)
    expect((await discoverSessions(jp, environmentOf(home))).map(({ sessionId }) => sessionId)).toEqual([SESSION])
  })

  test('a workspace that JP has no storage for is found from any folder in it, and listed once', async () => {
    const home = temporaryHome()
    const folder = putWorkspace(home)
    put(home, 'shop/src/deep/a.ts', '')
    const here = { ...environmentOf(home), folder: join(folder, 'src/deep') }
    expect(await discoverSessions(jp, here)).toMatchObject([{ sessionId: SESSION, project: folder }])
    expect(await discoverSessions(jp, environmentOf(home))).toEqual([])
    linkStorage(home, join(folder, '.jp'))
    expect(await discoverSessions(jp, here)).toHaveLength(1)
  })

  test('the archive and the trash are listed, with the command that brings a conversation back', async () => {
    const home = temporaryHome()
    putConversation(home)
    putConversation(home, WHOLE, '17935270001-old', 'conversations/.archive')
    putConversation(home, WHOLE, `${ID}-price-field-in-the-cart`, 'conversations/.trash')
    putConversation(home, WHOLE, `${ID}-price-field-in-the-cart-1`, 'conversations/.trash')
    const sessions = await discoverSessions(jp, environmentOf(home))
    expect(sessions.map(({ sessionId, generation }) => `${sessionId} ${generation}`)).toEqual([
      `${SESSION} conversations`,
      'jp-c17935270001 archive',
      `${ID}-price-field-in-the-cart.trash trash`,
      `${ID}-price-field-in-the-cart-1.trash trash`,
    ])
    expect(sessions.map(session => resumeFrom(jp, session, {}).type)).toEqual([
      'command',
      'unsupported',
      'unsupported',
      'unsupported',
    ])
  })

  test('a folder without an id is shown if it holds a conversation, and left alone if not', async () => {
    const home = temporaryHome()
    putConversation(home, WHOLE, 'my-notes')
    put(home, `${SILO}/conversations/else/README.md`, 'hello')
    const found = await discoverAll(jp, environmentOf(home))
    expect(found).toMatchObject([{ type: 'session', session: { sessionId: 'my-notes' } }])
    const { end } = await readNamed(jp, environmentOf(home), 'my-notes')
    expect(end.findings).toMatchObject([{ damage: 'folder-name' }])
  })

  test('a copy somewhere else is adopted by its name and how it begins', () => {
    expect(recognisedBy(jp, `/tmp/${ID}-x/events.json`, EVENTS_FIXTURE)).toEqual({
      sessionId: SESSION,
      generation: 'conversations',
    })
    expect(recognisedBy(jp, '/tmp/other.json', EVENTS_FIXTURE)).toBeUndefined()
    expect(recognisedBy(jp, '/tmp/events.json', Buffer.from('{}'))).toBeUndefined()
  })
})

/** Seconds since 1970. */
function touch(folder: string, time: number): void {
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), time, time)
}

function withFirst(first: object): unknown {
  return [first, ...(JSON.parse(EVENTS_FIXTURE.toString('utf8')) as unknown[])]
}

function makeLarge(home: string, bytes: number): MadeSession {
  const folder = putConversation(home)
  const file = join(folder, 'events.json')
  const fd = openSync(file, 'w')
  const text = 'All work and no play makes a long conversation. '.repeat(80)
  let written = writeSync(fd, '[')
  let messages = 0
  while (written < bytes) {
    const said = messages % 2 === 0 ? { type: 'chat_request', content: text } : { type: 'chat_response', message: text }
    written += writeSync(
      fd,
      `${messages === 0 ? '' : ','}\n${JSON.stringify({ timestamp: '2026-11-01 10:00:00.0', ...said })}`,
    )
    messages++
  }
  writeSync(fd, '\n]\n')
  closeSync(fd)
  return { sessionId: SESSION, file, messages }
}
