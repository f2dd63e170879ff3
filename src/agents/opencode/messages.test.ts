import { describe, expect, test } from 'vitest'
import { environmentOf, temporaryHome } from '../../../test/support/home.ts'
import type { Exported, Fields } from '../../../test/support/opencode/made-sessions.ts'
import { another, exported, putSessions, putTree } from '../../../test/support/opencode/made-sessions.ts'
import { discoverSessions, findSession, readFrom, resumeFrom, said } from '../../../test/support/reading.ts'
import type { Part } from '../../model/message.ts'
import { collect } from '../../model/reading.ts'
import type { Environment } from '../environment.ts'
import { resumeOf } from '../resume.ts'
import type { ReadOptions } from '../store.ts'
import { locationsOf } from '../store.ts'
import { opencode } from './index.ts'

const SESSION = exported().info.id
const STORES = { tree: putTree, database: (home: string, session: Exported) => putSessions(home, [session]) }

describe.each(['tree', 'database'] as const)('in the %s', store => {
  const read = async (session: Exported, options?: ReadOptions) => {
    const home = temporaryHome()
    STORES[store](home, session)
    return await collect(readFrom(opencode, await findSession(opencode, environmentOf(home), SESSION), options))
  }

  test('the parts of a message are what they are', async () => {
    const { messages, end } = await read(exported())
    expect(messages.map(({ role, parts }) => [role, parts])).toEqual([
      [
        'user',
        [
          { type: 'text', text: 'Please add a price field to the cart' },
          {
            type: 'file',
            name: 'cart.ts',
            mime: 'text/plain',
            source: 'path',
            reference: '/home/dev/shop/src/my cart.ts',
          },
          { type: 'notice', text: 'Called the Read tool with the following input: cart.ts' },
        ],
      ],
      [
        'assistant',
        [
          { type: 'thinking', text: 'Cents or floats? Cents.' },
          { type: 'tool-call', id: 'call_01', name: 'bash', input: { command: 'grep -n price src/cart.ts' } },
          { type: 'tool-result', id: 'call_01', output: '7: price\n', isError: false },
        ],
      ],
      ['assistant', [{ type: 'text', text: 'The cart has a price in cents now. 日本円 too.' }]],
      ['user', [{ type: 'text', text: 'Thank you. And a test?' }]],
    ])
    expect(messages[1]).toMatchObject({
      time: '2026-11-15T07:30:07.194Z',
      model: 'large',
      usage: { input: 120, output: 45, cacheRead: 90, cacheWrite: 30, reasoning: 7 },
    })
    expect(end.counts).toEqual({ records: 15, bookkeeping: 3, unknown: 0, skipped: 0 })
    expect(end.facts).toEqual({
      sessionId: SESSION,
      title: 'Add a price field to the cart',
      project: '/home/dev/shop',
      startedAt: '2026-11-15T07:30:05.000Z',
      updatedAt: '2026-11-15T07:30:14.615Z',
      agentVersion: '1.1.65',
      model: 'large',
    })
  })

  test.each<[string, Fields, Part[]]>([
    ['a call that is pending', tool({ status: 'pending', input: {}, raw: '' }), [call({})]],
    ['a call that is running', tool({ status: 'running', input: { a: 1 } }), [call({ a: 1 })]],
    [
      'a call that failed',
      tool({ status: 'error', input: {}, error: 'no such file' }),
      [call({}), { type: 'tool-result', id: 'c1', output: 'no such file', isError: true }],
    ],
    [
      'a call that gave an image',
      tool({
        status: 'completed',
        input: {},
        output: 'ok',
        attachments: [{ mime: 'image/png', url: 'data:image/png;base64,AA' }],
      }),
      [
        call({}),
        { type: 'tool-result', id: 'c1', output: 'ok', isError: false },
        { type: 'file', name: null, mime: 'image/png', source: 'inline', reference: null },
      ],
    ],
    ['a text the model never sees', { type: 'text', text: 'hi', ignored: true }, [notice('hi')]],
    ['an agent', { type: 'agent', name: 'explore' }, [notice('The agent "explore" was asked for.')]],
    [
      'a task',
      { type: 'subtask', agent: 'explore', description: 'look', prompt: 'look around' },
      [notice('A task was given to the agent "explore": look around')],
    ],
    [
      'a repeated attempt',
      { type: 'retry', attempt: 2, error: { name: 'APIError', data: { message: 'overloaded' } } },
      [notice('Attempt 2 failed and was repeated: APIError: overloaded')],
    ],
    [
      'a compaction',
      { type: 'compaction', auto: true },
      [notice('The conversation was compacted here: the agent continues from a summary of the messages above.')],
    ],
    ['a snapshot', { type: 'snapshot', snapshot: 'abc' }, []],
    [
      'a web page',
      { type: 'file', mime: 'text/html', url: 'https://example.org/a' },
      [{ type: 'file', name: null, mime: 'text/html', source: 'url', reference: 'https://example.org/a' }],
    ],
  ])('%s', async (_, part, expected) => {
    expect((await read(withPart(part))).messages[3]?.parts).toEqual(expected)
  })

  test('a part of an unknown type is shown as such and counted', async () => {
    const { messages, end } = await read(withPart({ type: 'hologram', depth: 3 }))
    expect(messages[3]?.parts).toMatchObject([{ type: 'unknown', recordType: 'hologram', value: { depth: 3 } }])
    expect(end).toMatchObject({ type: 'complete', counts: { unknown: 1 } })
  })

  test('a message of an unknown role is shown as such and counted', async () => {
    const session = exported()
    Object.assign(session.messages[3]?.info ?? {}, { role: 'oracle' })
    const { messages, end } = await read(session)
    expect(messages[3]).toMatchObject({
      role: 'system',
      parts: [{ type: 'unknown', recordType: 'message oracle' }, { type: 'text' }],
    })
    expect(end.counts.unknown).toBe(1)
  })

  test('an answer that ended with an error says so', async () => {
    const session = exported()
    Object.assign(session.messages[2]?.info ?? {}, {
      error: { name: 'MessageAbortedError', data: { message: 'stopped' } },
    })
    expect((await read(session)).messages[2]?.parts.at(-1)).toEqual(
      notice('The answer ended with an error: MessageAbortedError: stopped'),
    )
  })

  test('reverted messages are a branch: not in the conversation, counted, and read on request', async () => {
    const session = exported()
    const revert = session.messages[2]?.info.id ?? ''
    session.info['revert'] = { messageID: revert, snapshot: 'abc' }
    const all = said((await read(exported())).messages)
    const { messages, end } = await read(session)
    expect(messages.map(message => message.id)).toEqual(session.messages.slice(0, 2).map(({ info }) => info.id))
    expect(end).toMatchObject({
      type: 'complete',
      branches: [
        { id: revert, kind: 'abandoned', messages: 2, title: 'The cart has a price in cents now. 日本円 too.' },
      ],
      counts: { records: 15, bookkeeping: 3, unknown: 0, skipped: 0 },
    })
    expect(said((await read(session, { branch: revert })).messages)).toEqual(all)
    await expect(read(session, { branch: 'msg_other' })).rejects.toMatchObject({ code: 'session-not-found' })
  })

  test('a revert in the middle of a message leaves the parts before', async () => {
    const session = exported()
    session.info['revert'] = { messageID: session.messages[1]?.info.id, partID: session.messages[1]?.parts[2]?.id }
    const { messages, end } = await read(session)
    expect(messages).toHaveLength(2)
    expect(messages[1]?.parts).toEqual([{ type: 'thinking', text: 'Cents or floats? Cents.' }])
    expect(end.branches).toMatchObject([{ messages: 3 }])
    expect(end.counts).toEqual({ records: 15, bookkeeping: 3, unknown: 0, skipped: 0 })
  })

  test('going back to a message that is not there takes nothing back', async () => {
    const session = exported()
    session.info['revert'] = { messageID: 'msg_gone' }
    const { messages, end } = await read(session)
    expect(messages).toHaveLength(4)
    expect(end.branches).toEqual([])
  })

  test('a sub-agent names the session it belongs to, and only that one can be resumed', async () => {
    const home = temporaryHome()
    STORES[store](home, another('ses_child', { parentID: SESSION }))
    const [child] = await discoverSessions(opencode, environmentOf(home))
    if (child === undefined) throw new Error('not found')
    const { facts } = (await collect(readFrom(opencode, child))).end
    expect([child.subagentOf, facts.subagentOf]).toEqual([SESSION, SESSION])
    expect(resumeFrom(opencode, child, facts).type).toBe('unsupported')
    const { subagentOf: _, ...parent } = child
    expect(resumeOf(opencode, { ...parent, sessionId: SESSION }, { project: '/home/dev/shop' })).toEqual({
      type: 'command',
      program: { command: 'opencode', args: ['--session', SESSION] },
      folder: '/home/dev/shop',
    })
  })
})

describe('where sessions are searched', () => {
  const paths = (environment: Environment) =>
    locationsOf(opencode, environment).map(({ store, location }) => `${store.name} ${location.path}`)

  test('below .local/share of the home on every platform', () => {
    for (const platform of ['linux', 'darwin'] as const)
      expect(paths({ home: '/home/dev', platform, variables: {} })).toEqual([
        'database /home/dev/.local/share/opencode',
        'tree /home/dev/.local/share/opencode/storage',
      ])
    const variables = { APPDATA: 'C:\\Users\\dev\\AppData\\Roaming' }
    expect(paths({ home: 'C:\\Users\\dev', platform: 'win32', variables })).toEqual([
      'database C:\\Users\\dev\\.local\\share\\opencode',
      'tree C:\\Users\\dev\\.local\\share\\opencode\\storage',
    ])
  })

  test('where the variables say', () => {
    const moved = (variables: Record<string, string>) => paths(environmentOf('/home/dev', variables))
    const tree = 'tree /data/opencode/storage'
    expect(moved({ XDG_DATA_HOME: '/data' })).toEqual(['database /data/opencode', tree])
    expect(moved({ XDG_DATA_HOME: '/data', OPENCODE_DB: '/mnt/my.db' })).toEqual(['database /mnt/my.db', tree])
    expect(moved({ XDG_DATA_HOME: '/data', OPENCODE_DB: 'my.db' })).toEqual(['database /data/opencode/my.db', tree])
    expect(moved({ XDG_DATA_HOME: '/data', OPENCODE_DB: ':memory:' })).toEqual([tree])
  })

  test('in the database of every channel, or in the one that is named', async () => {
    const home = temporaryHome()
    for (const name of ['opencode', 'opencode-dev', 'opencode-my.branch-2', 'moved'])
      putSessions(home, [another(`ses_${name}`)], `.local/share/opencode/${name}.db`)
    const ids = async (variables: Record<string, string>) =>
      (await discoverSessions(opencode, environmentOf(home, variables))).map(session => session.sessionId)
    expect(await ids({})).toEqual(['ses_opencode-dev', 'ses_opencode-my.branch-2', 'ses_opencode'])
    expect(await ids({ OPENCODE_DB: 'moved.db' })).toEqual(['ses_moved'])
    expect(await ids({ OPENCODE_DB: 'missing.db' })).toEqual([])
  })
})

function withPart(part: Fields): Exported {
  const session = exported()
  const last = session.messages[3]
  if (last !== undefined) last.parts = [{ ...part, id: 'prt_1de1d1029001PartPartPart01' }]
  return session
}

function tool(state: Fields): Fields {
  return { type: 'tool', callID: 'c1', tool: 'bash', state }
}

function call(input: Fields): Part {
  return { type: 'tool-call', id: 'c1', name: 'bash', input }
}

function notice(text: string): Part {
  return { type: 'notice', text }
}
