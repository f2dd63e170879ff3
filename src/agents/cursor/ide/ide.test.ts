import { truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ComposerPlan } from '../../../../test/support/cursor/store-maker.ts'
import {
  alter,
  BUBBLES,
  PROJECT,
  putState,
  SECRET_KEY,
  STARTED,
  STATE,
  TOKEN,
} from '../../../../test/support/cursor/store-maker.ts'
import { putDatabase } from '../../../../test/support/database.ts'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { discoverAll, findSession, readFrom } from '../../../../test/support/reading.ts'
import { collect } from '../../../model/reading.ts'
import { cursor } from '../index.ts'

const ID = '66666666-6666-4666-8666-666666666666'
const OTHER = '77777777-7777-4777-8777-777777777777'

afterEach(() => vi.restoreAllMocks())

async function readComposer(plan: Partial<ComposerPlan>, damage: (file: string) => void = () => {}) {
  const home = temporaryHome()
  const file = putState(home, [{ id: ID, ...plan }])
  damage(file)
  const session = await findSession(cursor, environmentOf(home), ID)
  return { file, home, session, ...(await collect(readFrom(cursor, session))) }
}

/** Every query from now on, as sent to SQLite. */
function spyOnQueries(): string[] {
  const asked: string[] = []
  const prepare = DatabaseSync.prototype.prepare
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql: string) {
    if (/^\s*SELECT/i.test(sql)) asked.push(sql)
    return prepare.call(this, sql)
  })
  return asked
}

const damagesOf = (end: { findings: { damage: string }[] }) => end.findings.map(finding => finding.damage)

describe('a conversation', () => {
  test('has its facts from the composer', async () => {
    const { end, session } = await readComposer({})
    expect(end.facts).toEqual({
      sessionId: ID,
      title: 'Cart discount',
      project: PROJECT,
      startedAt: new Date(STARTED).toISOString(),
      updatedAt: new Date(STARTED + 60_000).toISOString(),
      model: 'sonnet',
    })
    expect(session).toMatchObject({ title: 'Cart discount', project: PROJECT, updatedAt: STARTED + 60_000 })
  })

  test('has times, thoughts, calls with their results, and tokens', async () => {
    const { messages } = await readComposer({})
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'assistant', 'assistant'])
    expect(messages[0]?.time).toBe('2026-11-01T09:00:00.000Z')
    expect(messages[1]?.parts).toEqual([{ type: 'thinking', text: 'It is in src/cart.ts.' }])
    expect(messages[2]?.parts.slice(1)).toEqual([
      { type: 'tool-call', id: 'call-1', name: 'read_file', input: { target_file: 'src/cart.ts' } },
      { type: 'tool-result', id: 'call-1', output: '{"contents":"export const cart = []"}', isError: false },
    ])
    expect(messages[3]?.usage).toEqual({ input: 1200, output: 80 })
  })

  test('stands in the order its composer names, not in that of the rows', async () => {
    const { messages } = await readComposer({ bubbles: BUBBLES.toReversed() }, file =>
      alter(
        file,
        'UPDATE cursorDiskKV SET value = json_set(value, \'$.fullConversationHeadersOnly\', json(\'[{"bubbleId":"b1"},{"bubbleId":"b4"}]\')) WHERE key = ?',
        `composerData:${ID}`,
      ),
    )
    expect(messages.map(message => message.id)).toEqual(['b1', 'b4'])
  })

  test('offers bubbles that no header names as a branch', async () => {
    const composer = { fullConversationHeadersOnly: [{ bubbleId: 'b1' }, { bubbleId: 'b2' }] }
    const { session, end } = await readComposer({ composer })
    expect(end.branches).toEqual([{ id: 'unlisted', kind: 'abandoned', messages: 2, title: '' }])
    const branch = await collect(readFrom(cursor, session, { branch: 'unlisted' }))
    expect(branch.messages.map(message => message.id)).toEqual(['b3', 'b4'])
  })

  test('of an older version holds its messages itself', async () => {
    const composer = { fullConversationHeadersOnly: undefined, conversation: [...BUBBLES, { type: 2, text: 'Bye' }] }
    const { messages, end } = await readComposer({ composer, bubbles: [] })
    expect(messages.map(message => message.id)).toEqual(['b1', 'b2', 'b3', 'b4', '@5'])
    expect(end.type).toBe('complete')
    expect(messages[0]?.at).toMatchObject({ table: 'cursorDiskKV', row: `composerData:${ID}` })
  })

  test.each([
    ['tabs', { tabs: [{ bubbles: BUBBLES.slice(0, 2) }, 'x', { bubbles: BUBBLES.slice(2) }] }],
    ['a map', { conversationMap: { a: { bubbles: BUBBLES.slice(0, 2) }, b: { bubbles: BUBBLES.slice(2) } } }],
  ])('of an older version holds its messages in %s', async (_name, fields) => {
    const composer = { fullConversationHeadersOnly: undefined, ...fields }
    const { messages, end } = await readComposer({ composer, bubbles: [] })
    expect(messages.map(message => message.id)).toEqual(['b1', 'b2', 'b3', 'b4'])
    expect(end.type).toBe('complete')
  })

  test.each([
    ['still runs', { toolCallId: 'c', name: 'shell', params: '{"command":"ls"}', status: 'loading' }, ['tool-call']],
    ['failed', { toolCallId: 'c', name: 'shell', rawArgs: '{', error: 'no such file' }, ['tool-call', 'tool-result']],
    ['gave nothing', { toolCallId: 'c', name: 'shell', status: 'completed' }, ['tool-call', 'tool-result']],
    ['is none', { additionalData: {} }, []],
  ])('a call that %s is shown as that', async (_name, toolFormerData, types) => {
    const { messages, end } = await readComposer({ bubbles: [...BUBBLES, { bubbleId: 'b5', type: 2, toolFormerData }] })
    expect(messages[4]?.parts.map(part => part.type) ?? []).toEqual(types)
    expect(end.counts.bookkeeping).toBe(types.length === 0 ? 1 : 0)
  })

  test.each([
    ['user', { type: 1, speech: 'Hello' }],
    ['assistant', { type: 2, content: 'Hello' }],
  ])('shows a bubble of the %s whose text has another name as unknown, and counts it', async (role, bubble) => {
    const { messages, end } = await readComposer({ bubbles: [{ bubbleId: 'b1', ...bubble }] })
    expect(messages).toMatchObject([{ role, parts: [{ type: 'unknown', recordType: 'bubble' }] }])
    expect(JSON.stringify(messages[0]?.parts)).toContain('Hello')
    expect(end.counts.unknown).toBe(1)
  })

  test('a bubble with nothing but ids, times and remarks is bookkeeping', async () => {
    const marks = { newMark: '0f0e0d0c-0000-4000-8000-000000000001', at: '2026-11-01T09:00:00.000Z', list: [] }
    const { messages, end } = await readComposer({ bubbles: [{ bubbleId: 'b1', type: 2, text: '', ...marks }] })
    expect(messages).toEqual([])
    expect(end.counts).toMatchObject({ bookkeeping: 1, unknown: 0 })
  })

  test('shows a bubble of a kind it does not know', async () => {
    const { messages, end } = await readComposer({ bubbles: [...BUBBLES, { bubbleId: 'b5', type: 9, text: 'x' }] })
    expect(messages[4]).toMatchObject({ role: 'system', parts: [{ type: 'unknown', recordType: 'bubble 9' }] })
    expect(end.counts.unknown).toBe(1)
  })

  test.each([
    ['workspaceProjectDir', { workspaceProjectDir: '/home/dev/other' }],
    ['workspaceUris', { workspaceUris: ['file:///home/dev/other'] }],
  ])('has its folder from %s where it has no other', async (_name, fields) => {
    const composer = { workspaceIdentifier: undefined, ...fields }
    const { session, end } = await readComposer({ composer })
    expect([session.project, end.facts.project]).toEqual(['/home/dev/other', '/home/dev/other'])
  })

  test('names the conversation that a sub-agent belongs to', async () => {
    const { session, end } = await readComposer({ composer: { subagentInfo: { parentComposerId: OTHER } } })
    expect([session.subagentOf, end.facts.subagentOf]).toEqual([OTHER, OTHER])
  })
})

describe('a hole', () => {
  test('a missing bubble is a finding at its key', async () => {
    const { messages, end, file } = await readComposer({}, path =>
      alter(path, 'DELETE FROM cursorDiskKV WHERE key = ?', `bubbleId:${ID}:b2`),
    )
    expect(messages).toHaveLength(3)
    expect(end.type).toBe('partial')
    expect(end.findings[0]).toMatchObject({
      damage: 'missing-bubble',
      severity: 'lost',
      at: { file, table: 'cursorDiskKV', row: `bubbleId:${ID}:b2` },
    })
  })

  test.each(['null', '{"type":2,"text":"torn', ''])('a bubble that is %j is a finding too', async value => {
    const { messages, end } = await readComposer({}, file =>
      alter(file, 'UPDATE cursorDiskKV SET value = ? WHERE key = ?', value, `bubbleId:${ID}:b2`),
    )
    expect(messages).toHaveLength(3)
    expect(damagesOf(end)).toEqual(['malformed-bubble'])
  })

  test('a header that names nothing is a finding, and the others count', async () => {
    const composer = { fullConversationHeadersOnly: [{ bubbleId: 'b1' }, 'b2', { type: 2 }, { bubbleId: 'b4' }] }
    const { messages, end } = await readComposer({ composer })
    expect(messages.map(message => message.id)).toEqual(['b1', 'b4'])
    expect(damagesOf(end)).toEqual(['malformed-header', 'malformed-header'])
  })

  test.each<[string, object | string | null]>([
    ['not JSON', '{"composerId":"6'],
    ['gone', null],
    ['without an order', { fullConversationHeadersOnly: [] }],
  ])('where the composer is %s, the bubbles stand by their time', async (_name, composer) => {
    const home = temporaryHome()
    const file = putState(home, [{ id: ID, composer, bubbles: BUBBLES.toReversed() }])
    const session = await findSession(cursor, environmentOf(home), ID)
    const { messages, end } = await collect(readFrom(cursor, session))
    expect(messages.map(message => message.id)).toEqual(['b1', 'b2', 'b3', 'b4'])
    expect(end.findings).toMatchObject([{ damage: 'lost-order', at: { file, row: `composerData:${ID}` } }])
  })
})

describe('data of other programs', () => {
  test('the tokens and keys in the database are in nothing that is found, read or thrown', async () => {
    const { home, session, ...reading } = await readComposer({ composer: { name: undefined } }, file =>
      alter(file, 'DELETE FROM cursorDiskKV WHERE key = ?', `bubbleId:${ID}:b3`),
    )
    const unread = await collect(readFrom(cursor, { ...session, sessionId: 'cursorAuth/accessToken' })).catch(error => [
      error.code,
      error.message,
      error.hint,
    ])
    const all = JSON.stringify([await discoverAll(cursor, environmentOf(home)), session, reading, unread])
    for (const secret of [TOKEN, SECRET_KEY, 'blobEncryptionKey']) expect(all).not.toContain(secret)
    expect(unread).toContain('session-not-found')
  })

  test('only rows of named keys are asked for, and composers are never taken whole', async () => {
    const asked = spyOnQueries()
    const { session } = await readComposer({})
    await collect(readFrom(cursor, session, { branch: 'unlisted' }))
    const tables = asked.filter(sql => /cursorDiskKV|ItemTable/.test(sql))
    expect(tables.length).toBeGreaterThan(3)
    for (const sql of tables) {
      const uses = sql.match(/\bFROM (?:cursorDiskKV|ItemTable)\b/g)?.length ?? 0
      const bounds =
        sql.match(/\bkey (?:=|>=) (?:\?|'composerData:'|'composer\.composerData'|'bubbleId:')/g)?.length ?? 0
      expect(bounds, sql).toBeGreaterThanOrEqual(uses)
      expect(sql).not.toMatch(/SELECT (?:value|\*)/)
    }
  })
})

describe('discovery', () => {
  test('lists conversations, not the composers in which nothing was said', async () => {
    const home = temporaryHome()
    putState(home, [
      { id: ID },
      { id: OTHER, bubbles: [] },
      { id: 'deleted', composer: null, bubbles: [] },
      { id: 'torn', composer: '{"na', bubbles: [] },
    ])
    const found = await discoverAll(cursor, environmentOf(home))
    expect(found.flatMap(item => (item.type === 'session' ? item.session.sessionId : []))).toEqual([ID])
    expect(found.flatMap(item => (item.type === 'failure' ? item.failure.code : []))).toEqual(['not-a-session'])
  })

  test('takes the folder from the window that shows the conversation', async () => {
    const home = temporaryHome()
    putState(home, [{ id: ID, composer: { workspaceIdentifier: undefined } }])
    const workspace = '.config/Cursor/User/workspaceStorage/abc'
    put(home, `${workspace}/workspace.json`, JSON.stringify({ folder: 'file:///home/dev/my%20shop' }))
    putDatabase(home, `${workspace}/state.vscdb`, database => {
      database.exec('CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
      const value = JSON.stringify({ allComposers: [{ composerId: ID }, 'x'] })
      database.prepare('INSERT INTO ItemTable VALUES (?, ?)').run('composer.composerData', value)
    })
    expect((await findSession(cursor, environmentOf(home), ID)).project).toBe('/home/dev/my shop')
  })

  test('is not hindered by a broken window', async () => {
    const home = temporaryHome()
    putState(home, [{ id: ID, composer: { workspaceIdentifier: undefined } }])
    for (const [hash, content] of [
      ['aaa', '{"folder":"file:///home/dev/shop"}'],
      ['bbb', '{"fol'],
    ] as const) {
      put(home, `.config/Cursor/User/workspaceStorage/${hash}/workspace.json`, content)
      put(home, `.config/Cursor/User/workspaceStorage/${hash}/state.vscdb`, 'no database')
    }
    const found = await discoverAll(cursor, environmentOf(home))
    expect(found.map(item => item.type)).toEqual(['session', 'failure', 'failure'])
  })

  test('never walks through the table: everything is found by the index', async () => {
    const asked = spyOnQueries()
    const { file } = await readComposer({ composer: { workspaceIdentifier: undefined } })
    vi.restoreAllMocks()
    const database = new DatabaseSync(file)
    for (const sql of asked.filter(query => query.includes('cursorDiskKV')))
      expect(JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()), sql).not.toMatch(
        /SCAN (?:cursorDiskKV|bubble)\b(?! VIRTUAL)/,
      )
    database.close()
  })

  test('finds nothing in an editor without conversations', async () => {
    const home = temporaryHome()
    putDatabase(home, STATE, database => database.exec('CREATE TABLE ItemTable (key TEXT, value BLOB)'))
    expect(await discoverAll(cursor, environmentOf(home))).toEqual([])
  })

  test('a database that is damaged throws: nothing in it can be listed', async () => {
    const home = temporaryHome()
    truncateSync(putState(home, [{ id: ID }]), 700)
    await expect(discoverAll(cursor, environmentOf(home))).rejects.toMatchObject({ code: 'database-corrupt' })
  })

  test('a session changes its identity with its composer, and only with that', async () => {
    const home = temporaryHome()
    const file = putState(home, [{ id: ID }, { id: OTHER }])
    const identities = async () => [
      (await findSession(cursor, environmentOf(home), ID)).identity,
      (await findSession(cursor, environmentOf(home), OTHER)).identity,
    ]
    const before = await identities()
    alter(
      file,
      "UPDATE cursorDiskKV SET value = json_set(value, '$.lastUpdatedAt', 1) WHERE key = ?",
      `composerData:${ID}`,
    )
    const after = await identities()
    expect(after[0]).not.toBe(before[0])
    expect(after[1]).toBe(before[1])
  })
})
