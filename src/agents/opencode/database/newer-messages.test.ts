import { describe, expect, test } from 'vitest'
import { putDatabase } from '../../../../test/support/database.ts'
import { environmentOf, temporaryHome } from '../../../../test/support/home.ts'
import { DATABASE, exported, putSessions } from '../../../../test/support/opencode/made-sessions.ts'
import {
  change,
  insertNewer,
  NEWER_ID,
  NEWER_MESSAGES_COUNT,
  NEWER_SCHEMA,
  NEWER_SESSION,
} from '../../../../test/support/opencode/newer-sessions.ts'
import { discoverAll, readNamed, said } from '../../../../test/support/reading.ts'
import { isConversation, type Message, type Part } from '../../../model/message.ts'
import { opencode } from '../index.ts'
import { repair } from './repair.ts'

describe('a session in the tables of newer versions', () => {
  test('is listed and read with every type of message', async () => {
    const { home } = make()
    const { session, messages, end } = await readOne(home)
    expect(session).toMatchObject({ title: 'The last line', project: '/home/dev/shop', generation: 'database' })
    expect(messages.map(({ role }) => role[0]).join('')).toBe('suauusssua')
    expect(messages.filter(isConversation)).toHaveLength(NEWER_MESSAGES_COUNT)
    expect(messages.map(({ parts }) => parts)).toEqual(SHOWN)
    expect(messages[2]).toMatchObject({
      model: 'sonnet-5',
      usage: { input: 120, output: 40, reasoning: 9, cacheRead: 5, cacheWrite: 6, cost: { amount: 0.02 } },
      time: '2026-10-04T08:02:00.000Z',
      at: { table: 'session_message', row: NEWER_ID(2) },
    })
    expect(end).toMatchObject({ type: 'complete', counts: { unknown: 0, skipped: 0 }, facts: { model: 'sonnet-5' } })
  })

  test('is loaded completely', async () => {
    expect(await loads(make().home)).toEqual({ ...ALL, problems: [] })
  })

  test('unknown types, fields and items are shown as unknown and counted', async () => {
    const { home, file } = make()
    const set = (index: number, data: object) =>
      change(file, `UPDATE session_message SET data = '${JSON.stringify(data)}' WHERE id = '${NEWER_ID(index)}'`)
    set(1, { time: { created: 1 }, words: 'renamed prompt' })
    set(2, { time: { created: 2 }, blocks: [{ type: 'text', text: 'renamed content' }] })
    set(3, { time: { created: 3 }, callID: 'c', cmd: 'renamed-command', stdout: 'renamed output' })
    set(5, { time: { created: 5 }, body: 'renamed-system' })
    set(9, { time: { created: 9 }, content: [{ type: 'chart', data: 'unknown item' }], remark: 'said beside it' })
    change(file, `UPDATE session_message SET type = 'poll' WHERE id = '${NEWER_ID(8)}'`)
    const { messages, end } = await readOne(home)
    const unknown = JSON.stringify(messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'unknown')))
    for (const text of ['renamed prompt', 'renamed content', 'renamed-command', 'renamed output', 'renamed-system'])
      expect(unknown).toContain(text)
    for (const text of ['unknown item', 'said beside it', 'Then correct it.']) expect(unknown).toContain(text)
    expect(end.counts.unknown).toBeGreaterThanOrEqual(6)
  })

  test('a row that is not JSON is a finding, and OpenCode loads none of the messages', async () => {
    const { home, file } = make()
    change(file, `UPDATE session_message SET data = '{"text":"Th' WHERE id = '${NEWER_ID(8)}'`)
    const { messages, end } = await readOne(home)
    expect(messages.filter(isConversation)).toHaveLength(NEWER_MESSAGES_COUNT - 1)
    expect(end.findings).toMatchObject([{ damage: 'malformed-record', at: { row: NEWER_ID(8) } }])
    expect(await loads(home)).toMatchObject({
      ...{ now: 0, afterRepair: 0 },
      problems: [{ kind: 'unreadable', table: 'session_message', changes: [] }],
    })
  })

  test('without a row of its own, or with one in "session_v2", it is found by its messages', async () => {
    const { home, file } = make()
    change(file, 'DELETE FROM session')
    const { session, messages, end } = await readOne(home)
    expect(messages.filter(isConversation)).toHaveLength(NEWER_MESSAGES_COUNT)
    expect(end.findings).toMatchObject([{ damage: 'lost-header' }])
    expect(session.title).toBeUndefined()
    change(file, 'DROP TABLE session; CREATE TABLE session_v2 (id text, title text, directory text, extra text)')
    change(file, `INSERT INTO session_v2 VALUES ('${NEWER_SESSION}', 'Of another version', '/home/dev/other', 'x')`)
    expect(await discoverAll(opencode, environmentOf(home))).toMatchObject([
      { type: 'failure', failure: { code: 'unsupported', text: expect.stringContaining('"session_v2"') } },
      { type: 'session', session: { title: 'Of another version', project: '/home/dev/other' } },
    ])
    expect((await readOne(home)).end).toMatchObject({ type: 'complete', facts: { title: 'Of another version' } })
    expect(await loads(home)).toEqual({ ...ALL, problems: [] })
  })

  test('a revert hides what follows the message', async () => {
    const { home, file } = make()
    change(file, `UPDATE session SET revert = '{"messageID":"${NEWER_ID(4)}"}'`)
    const { messages, end } = await readOne(home)
    expect(messages.at(-1)?.id).toBe(NEWER_ID(4))
    expect(end.branches).toMatchObject([{ id: NEWER_ID(4), messages: 2, title: 'Then correct it.' }])
    expect(await loads(home)).toMatchObject({ now: 4, problems: [] })
  })

  test('prompts that wait are shown behind the messages', async () => {
    const { home, file } = make()
    change(
      file,
      'CREATE TABLE session_input (id, session_id, prompt, delivery, admitted_seq, promoted_seq, time_created)',
    )
    const values = (id: string, text: string, promoted: string) =>
      `('${id}', '${NEWER_SESSION}', '{"text":"${text}"}', 'queue', 30, ${promoted}, 5)`
    change(
      file,
      `INSERT INTO session_input VALUES ${values('msg_a', 'Given', '3')}, ${values('msg_b', 'And a test.', 'NULL')}`,
    )
    const { messages } = await readOne(home)
    expect(messages.at(-1)).toMatchObject({
      id: 'msg_b',
      role: 'system',
      parts: [{}, { type: 'text', text: 'And a test.' }],
    })
    expect(said(messages).join()).not.toContain('Given')
  })
})

describe('a session in the tables of both versions', () => {
  test('has the messages of both, by time, and repeats of older ones once', async () => {
    const home = temporaryHome()
    const session = { ...exported(), info: { ...exported().info, id: NEWER_SESSION } }
    const file = putSessions(home, [session])
    const older = (await readOne(home)).messages
    change(file, NEWER_SCHEMA.slice(NEWER_SCHEMA.indexOf('CREATE TABLE session_message')))
    const insert = (id: string, created: number, text: string) =>
      change(
        file,
        `INSERT INTO session_message VALUES ('${id}', '${NEWER_SESSION}', 'user', ${created}, ${created}, ${created},
          '{"time":{"created":${created}},"text":"${text}"}')`,
      )
    insert('msg_0001', 5, 'Said before.')
    insert('msg_ffff', 1894727814615, 'Said afterwards.')
    insert(older[0]?.id ?? '', 6, 'A repeat under the same id.')
    insert('evt_1', 7, 'A repeat under the id of an event.')
    const { messages, end } = await readOne(home)
    expect(said(messages)).toEqual([
      ...said([userMessage('Said before.')]),
      ...said(older),
      ...said([userMessage('Said afterwards.')]),
    ])
    expect(end.counts).toMatchObject({ unknown: 0, skipped: 0 })
  })
})

const ALL = { now: NEWER_MESSAGES_COUNT, afterRepair: NEWER_MESSAGES_COUNT }

const SHOWN: Part[][] = [
  [{ type: 'notice', text: 'The model "sonnet-5" continues from here.' }],
  [
    { type: 'text', text: 'Why does the parser drop the last line?' },
    { type: 'file', name: 'parser.ts', mime: 'text/plain', source: 'path', reference: '/home/dev/shop/parser.ts' },
    { type: 'notice', text: 'The agent "explore" was asked for.' },
  ],
  [
    { type: 'thinking', text: 'The loop may stop too early.' },
    { type: 'text', text: 'I read the loop first.' },
    { type: 'tool-call', id: 'call_1', name: 'read', input: { filePath: 'parser.ts' } },
    { type: 'tool-result', id: 'call_1', output: 'for (let i = 0; i < lines.length - 1; i++)', isError: false },
    { type: 'file', name: 'loop.png', mime: 'image/png', source: 'path', reference: '/home/dev/shop/loop.png' },
    { type: 'tool-call', id: 'call_2', name: 'edit', input: { filePath: 'parser.ts' } },
    { type: 'tool-result', id: 'call_2', output: 'The file changed on the disk.', isError: true },
  ],
  [
    { type: 'tool-call', id: 'call_3', name: 'shell', input: { command: 'npm test' } },
    { type: 'tool-result', id: 'call_3', output: '12 passed', isError: false },
  ],
  [{ type: 'notice', text: 'The plan was accepted.' }],
  [{ type: 'notice', text: 'The file AGENTS.md has changed.' }],
  [{ type: 'notice', text: 'The agent "plan" continues from here.' }],
  [
    {
      type: 'notice',
      text: 'The conversation was compacted here: the agent continues from a summary of the messages above.',
    },
    { type: 'text', text: 'The loop ends one line early.' },
  ],
  [{ type: 'text', text: 'Then correct it.' }],
  [
    { type: 'text', text: 'Corrected.' },
    { type: 'notice', text: 'The answer ended with an error: The connection was closed.' },
  ],
]

function make(): { home: string; file: string } {
  const home = temporaryHome()
  const file = putDatabase(home, DATABASE, database => {
    database.exec(NEWER_SCHEMA)
    insertNewer(database)
  })
  return { home, file }
}

const readOne = (home: string) => readNamed(opencode, environmentOf(home), NEWER_SESSION)

async function loads(home: string) {
  const { session } = await readOne(home)
  return { ...(await repair.countMessages(session)), problems: await repair.findBadRows(session) }
}

function userMessage(text: string): Message {
  return { id: '', role: 'user', time: null, parts: [{ type: 'text', text }], at: { file: '', table: '', row: '' } }
}
