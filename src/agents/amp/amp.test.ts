import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MadeSession } from '../../../test/support/agent-conformance.ts'
import { conformance } from '../../../test/support/agent-conformance.ts'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import { discoverSessions, findSession, readFrom, recognisedBy } from '../../../test/support/reading.ts'
import { collect } from '../../model/reading.ts'
import { resumeOf } from '../resume.ts'
import { locationsOf } from '../store.ts'
import { amp } from './index.ts'

const THREAD = 'T-55555555-5555-4555-8555-555555555555'
const PLACE = `.local/share/amp/threads/${THREAD}.json`
const fixture = readFileSync(join(import.meta.dirname, 'fixtures', 'complete.json'))

conformance({
  name: 'amp',
  agent: amp,
  store: 'threads',
  make: home => ({ sessionId: THREAD, file: put(home, PLACE, fixture), messages: 4 }),
  makeLarge,
  afterCut: 'prefix',
})

describe('a thread', () => {
  test('has the title, folder, times, version and model that the document gives', async () => {
    const { end } = await readThread(fixture)
    expect(end.facts).toEqual({
      sessionId: THREAD,
      title: 'Price field in the cart',
      project: '/home/dev/shop',
      startedAt: '2026-11-01T10:00:00.000Z',
      updatedAt: '2026-11-01T10:00:05.000Z',
      agentVersion: '0.0.1793500000-gabcdef',
      model: 'claude-opus-4-5',
    })
  })

  test('is given with thinking, calls, results, tokens and times', async () => {
    const { messages } = await readThread(fixture)
    expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages.map(message => message.id)).toEqual(['0', '1', '2', '3'])
    expect(messages[0]?.time).toBe('2026-11-01T10:00:01.000Z')
    expect(messages[1]).toMatchObject({
      time: '2026-11-01T10:00:03.000Z',
      model: 'claude-opus-4-5',
      usage: { input: 9, output: 40, cacheRead: 1200, cacheWrite: 300 },
      parts: [
        { type: 'thinking', text: 'The cart comes first.' },
        { type: 'text', text: 'I look at the cart.' },
        { type: 'tool-call', id: 'toolu_1', name: 'Read', input: { path: '/home/dev/shop/cart.ts' } },
      ],
    })
    expect(messages[2]?.parts).toEqual([
      { type: 'tool-result', id: 'toolu_1', output: 'export const cart = []', isError: false },
    ])
  })

  test('without a title of its own is named by its first prompt', async () => {
    const { end } = await readThread({ messages: [user([{ type: 'text', text: 'hello' }])] })
    expect(end.facts.title).toBe('hello')
  })

  test.each([
    ['file:///home/dev/my%20shop%2B/', '/home/dev/my shop+'],
    ['file:///home/dev/caf%C3%A9', '/home/dev/café'],
    ['file:///home/dev/100%25', '/home/dev/100%'],
    ['file:///c%3A/Users/dev/shop', 'c:/Users/dev/shop'],
    ['https://example.com/shop', undefined],
    ['nonsense', undefined],
  ])('that was in %s belongs to %s', async (uri, project) => {
    const { end } = await readThread({ messages: [user('hello')], env: { initial: { trees: [{ uri }] } } })
    expect(end.facts.project).toBe(project)
  })

  test.each([
    ['an error', { status: 'error', error: { message: 'no such file' } }, 'no such file', true],
    ['a cancelled run', { status: 'cancelled', reason: 'stopped by the user' }, 'stopped by the user', true],
    ['a command that failed', { status: 'done', result: { output: 'oh', exitCode: 1 } }, 'oh\n(exit code 1)', true],
    ['a structured result', { status: 'done', result: { files: ['a'] } }, '{"files":["a"]}', false],
    ['a run that is not over', { status: 'in-progress' }, '', false],
  ])('gives %s as the result of its call', async (_, run, output, isError) => {
    const { messages } = await readThread({ messages: [user([{ type: 'tool_result', toolUseID: 't1', run }])] })
    expect(messages[0]).toMatchObject({ role: 'tool', parts: [{ type: 'tool-result', id: 't1', output, isError }] })
  })

  test('keeps results in the shape of the model’s interface, images, and why a message failed', async () => {
    const content = [
      { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'out' }], is_error: true },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
    ]
    const state = { type: 'error', error: { message: 'overloaded' } }
    const { messages } = await readThread({ messages: [user(content), { role: 'assistant', messageId: 2, state }] })
    expect(messages.flatMap(message => message.parts)).toMatchObject([
      { type: 'tool-result', id: 't1', output: 'out', isError: true },
      { type: 'file', mime: 'image/png', source: 'inline' },
      { type: 'notice', text: 'overloaded' },
    ])
  })

  test('gives blocks and roles it does not know as they are', async () => {
    const { messages, end } = await readThread({
      messages: [user([{ type: 'hologram' }]), { role: 'oracle', messageId: 2 }, 7],
    })
    expect(messages.map(message => message.parts[0]?.type)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(messages.map(message => message.role)).toEqual(['user', 'system', 'system'])
    expect(end.counts).toEqual({ records: 3, bookkeeping: 0, unknown: 3, skipped: 0 })
  })

  test('shows a message whose content has another name as unknown, and counts it', async () => {
    const { messages, end } = await readThread({ messages: [{ role: 'user', messageId: 1, text: 'Hello' }] })
    expect(messages).toMatchObject([{ role: 'user', parts: [{ type: 'unknown', value: { text: 'Hello' } }] }])
    expect(end.counts.unknown).toBe(1)
  })

  test('with two messages of one number gives both', async () => {
    const { messages } = await readThread({ messages: [user('one'), user('two')] })
    expect(messages).toHaveLength(2)
  })

  test('of which only a stub is left says where the messages are', async () => {
    const { messages, end } = await readThread({ messages: [] })
    expect(messages).toEqual([])
    expect(end.findings).toMatchObject([{ damage: 'stored-elsewhere', hint: expect.stringContaining(THREAD) }])
  })

  test('without its list of messages is not a session', async () => {
    await expect(readThread({ mfssages: [] })).rejects.toMatchObject({ code: 'not-a-session' })
  })
})

describe('finding threads', () => {
  test('the folders are searched in the order of the agent', () => {
    const moved = environmentOf('/home/dev', { AMP_DATA_HOME: '/data/amp', XDG_DATA_HOME: '/data/xdg' })
    expect(locationsOf(amp, moved).map(({ location }) => location.path)).toEqual([
      '/data/amp/amp/threads',
      '/data/xdg/amp/threads',
      '/home/dev/.local/share/amp/threads',
    ])
    expect(locationsOf(amp, environmentOf('/home/dev'))).toHaveLength(1)
  })

  test('only threads are sessions, and each is resumed by its id', async () => {
    const home = temporaryHome()
    put(home, PLACE, fixture)
    put(home, '.local/share/amp/threads/settings.json', '{}')
    const sessions = await discoverSessions(amp, environmentOf(home))
    expect(sessions.map(session => session.sessionId)).toEqual([THREAD])
    expect(sessions.map(session => resumeOf(amp, session, { project: '/home/dev/shop' }))).toEqual([
      {
        type: 'command',
        program: { command: 'amp', args: ['threads', 'continue', THREAD] },
        folder: '/home/dev/shop',
      },
    ])
  })

  test('an export is adopted by how it begins', () => {
    expect(recognisedBy(amp, '/tmp/export.json', fixture)).toEqual({ sessionId: THREAD, generation: 'threads' })
    expect(recognisedBy(amp, '/tmp/other.json', Buffer.from('{"sessionId":"x"}'))).toBeUndefined()
  })
})

async function readThread(document: Buffer | object) {
  const home = temporaryHome()
  put(home, PLACE, Buffer.isBuffer(document) ? document : JSON.stringify({ v: 1, id: THREAD, ...document }))
  return collect(readFrom(amp, await findSession(amp, environmentOf(home), THREAD)))
}

function user(content: unknown) {
  return { role: 'user', messageId: 0, content }
}

function makeLarge(home: string, bytes: number): MadeSession {
  const file = join(home, PLACE)
  mkdirSync(dirname(file), { recursive: true })
  const fd = openSync(file, 'w')
  const text = 'All work and no play makes a long conversation. '.repeat(80)
  let written = writeSync(fd, `{"v":1,"id":"${THREAD}","created":1793527200000,"messages":[`)
  let messages = 0
  while (written < bytes) {
    const role = messages % 2 === 0 ? 'user' : 'assistant'
    const body = JSON.stringify({ role, messageId: messages, content: [{ type: 'text', text }] })
    written += writeSync(fd, `${messages === 0 ? '' : ','}${body}`)
    messages++
  }
  writeSync(fd, ']}')
  closeSync(fd)
  return { sessionId: THREAD, file, messages }
}
