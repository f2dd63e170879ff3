import { describe, expect, test } from 'vitest'
import { environmentOf, temporaryHome } from '../../../test/support/home.ts'
import { findSession, readFrom } from '../../../test/support/reading.ts'
import {
  addConversation,
  addQuery,
  addTask,
  CONVERSATION,
  makeComplete,
  message,
  output,
  query,
  readWarp,
  SUMMARY,
  task,
  texts,
} from '../../../test/support/warp/store.ts'
import { encodeProto } from '../../bytes/protobuf.ts'
import { collect, isPartial } from '../../model/reading.ts'
import { warp } from './index.ts'

describe('warp tasks', () => {
  test('give queries, reasoning, calls with results, and answers', async () => {
    const home = temporaryHome()
    makeComplete(home)
    const session = await findSession(warp, environmentOf(home), CONVERSATION)
    const { messages, end } = await collect(readFrom(warp, session))
    expect(messages.map(({ id, role }) => `${id} ${role}`)).toEqual([
      'm1 user',
      'm2 assistant',
      'm3 assistant',
      'm4 tool',
      'm5 assistant',
    ])
    expect(messages.map(({ parts }) => parts[0])).toEqual([
      { type: 'text', text: 'The basket total is wrong' },
      { type: 'thinking', text: 'Tests first.' },
      { type: 'tool-call', id: 'call-1', name: 'run_shell_command', input: { command: 'npm test' } },
      { type: 'tool-result', id: 'call-1', output: '1 failed', isError: true },
      { type: 'text', text: 'The tax was added twice.' },
    ])
    expect(messages[0]?.time).toBe('2026-11-01T10:00:00.000Z')
    expect(messages[0]?.at).toEqual({ file: session.filePath, table: 'agent_tasks', row: 1 })
    expect(end.facts).toEqual({
      sessionId: CONVERSATION,
      title: 'Fix the basket total',
      project: '/home/dev/shop',
      startedAt: '2026-11-01T10:00:00.000Z',
      updatedAt: '2026-11-01T10:00:03.000Z',
    })
  })

  test('of a conversation stand in the order of their times, the root first, whatever order the rows have', async () => {
    const { messages } = await readWarp(database => {
      const search = [query('s1', 2, 'Find the tax'), output('s2', 4, 'Found')]
      addTask(database, 'search', task('search', { parent: 'root', description: 'Search the code', messages: search }))
      const messages = [
        query('r1', 1, 'Fix it'),
        output('r2', 2, 'Looking'),
        output('r3', 3, 'Waiting'),
        output('r4', 5, 'Done'),
      ]
      addTask(database, 'root', task('root', { messages }))
    })
    expect(messages.map(({ id }) => id)).toEqual(['r1', 'r2', '@1', 's1', 'r3', 's2', 'r4'])
    expect(messages[2]).toMatchObject({
      role: 'system',
      parts: [{ type: 'notice', text: 'Sub-task: Search the code' }],
    })
  })

  test('keep their own order where a message has no time, or one that goes backwards', async () => {
    const { messages } = await readWarp(database => {
      const dated = [query('a', undefined, '1'), output('b', 5, '2'), output('c', undefined, '3'), output('d', 1, '4')]
      addTask(database, 'root', task('root', { messages: dated }))
    })
    expect(messages.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('show additions to the conversation as notices, and count records that are only for Warp', async () => {
    const { messages, end } = await readWarp(database => {
      const summary = encodeProto([[1, encodeProto([[1, 'They fixed the tax.']])]])
      const search = encodeProto([[1, encodeProto([[1, encodeProto([[1, 'vat rates']])]])]])
      addTask(
        database,
        'root',
        task('root', {
          messages: [
            query('m1', 0, 'Go on'),
            message('m2', 1, 16, summary),
            message('m3', 2, 19, search),
            message('m4', 3, 6, encodeProto([[1, 'opaque']])),
            message('m5', 4, 25, encodeProto([[1, 'claude-4']])),
            message('m6', 5, 99, encodeProto([[1, 'from a later version']])),
          ],
        }),
      )
    })
    expect(messages.map(({ id, role }) => `${id} ${role}`)).toEqual(['m1 user', 'm2 system', 'm3 system', 'm6 system'])
    expect(texts(messages)).toEqual([
      'Go on',
      'Warp summarised the conversation so far: They fixed the tax.',
      'Web search: {"status":{"searching":{"query":"vat rates"}}}',
      'unknown',
    ])
    expect(messages[3]?.parts[0]).toEqual({
      type: 'unknown',
      recordType: 'message field 99',
      value: { field_1: 'from a later version' },
    })
    expect(end.counts).toEqual({ records: 6, bookkeeping: 2, unknown: 1, skipped: 0 })
    expect(end.facts.model).toBe('claude-4')
  })

  test('name the tools and what they were given', async () => {
    const { messages } = await readWarp(database => {
      const diff = encodeProto([
        [1, 'src/basket.ts'],
        [2, 'old'],
        [3, 'new'],
      ])
      const value = encodeProto([[3, 'open']])
      const args = encodeProto([
        [
          1,
          encodeProto([
            [1, 'state'],
            [2, value],
          ]),
        ],
      ])
      const call = (id: string, field: number, tool: Buffer) =>
        message(
          id,
          1,
          4,
          encodeProto([
            [1, id],
            [field, tool],
          ]),
        )
      const result = (id: string, field: number, given: Buffer) =>
        message(
          `${id}-result`,
          2,
          5,
          encodeProto([
            [1, id],
            [field, given],
          ]),
        )
      addTask(
        database,
        'root',
        task('root', {
          messages: [
            call(
              'c1',
              6,
              encodeProto([
                [1, 'Use one tax'],
                [2, diff],
              ]),
            ),
            call(
              'c2',
              12,
              encodeProto([
                [1, 'list_issues'],
                [2, args],
              ]),
            ),
            call('c3', 77, encodeProto([[1, 'later']])),
            result('c1', 6, encodeProto([[2, encodeProto([[1, 'No such file']])]])),
            result(
              'c2',
              16,
              encodeProto([[1, encodeProto([[1, encodeProto([[1, encodeProto([[1, 'two issues']])]])]])]]),
            ),
            result('c3', 14, Buffer.alloc(0)),
          ],
        }),
      )
    })
    expect(messages.map(({ parts }) => parts[0])).toEqual([
      {
        type: 'tool-call',
        id: 'c1',
        name: 'apply_file_diffs',
        input: { summary: 'Use one tax', diffs: [{ file_path: 'src/basket.ts', search: 'old', replace: 'new' }] },
      },
      { type: 'tool-call', id: 'c2', name: 'call_mcp_tool', input: { name: 'list_issues', args: { state: 'open' } } },
      { type: 'tool-call', id: 'c3', name: 'tool_77', input: { field_1: 'later' } },
      { type: 'tool-result', id: 'c1', output: 'No such file', isError: true },
      { type: 'tool-result', id: 'c2', output: 'two issues', isError: false },
      { type: 'tool-result', id: 'c3', output: 'Cancelled.', isError: true },
    ])
  })
})

describe('a damaged warp task', () => {
  const whole = task('root', {
    messages: [query('m1', 0, 'one'), output('m2', 1, 'two'), output('m3', 2, 'three'), output('m4', 3, 'four')],
  })

  test('that is cut gives the messages before the cut, and says what was lost', async () => {
    const { messages, end, file } = await readWarp(database => addTask(database, 'root', whole.subarray(0, -10)))
    expect(texts(messages)).toEqual(['one', 'two', 'three'])
    expect(isPartial(end) && end.error.code).toBe('records-unreadable')
    expect(end.findings).toMatchObject([
      { damage: 'undecodable-task', severity: 'lost', at: { file, table: 'agent_tasks', row: 1 } },
    ])
    expect(end.counts.skipped).toBe(1)
  })

  test('with a broken length in its middle gives the messages on both sides', async () => {
    const broken = Buffer.from(whole)
    // The length of the second message: longer than all there is.
    const second = whole.indexOf('m2') - 3
    broken[second] = 0x7f
    const { messages, end } = await readWarp(database => addTask(database, 'root', broken))
    expect(texts(messages)).toEqual(['one', 'three', 'four'])
    expect(end.findings).toHaveLength(1)
  })

  test('does not hide the other tasks', async () => {
    const { messages, end } = await readWarp(database => {
      addConversation(database, {}, SUMMARY)
      addTask(database, 'root', Buffer.from('not a message of any kind'))
      addTask(database, 'other', task('other', { parent: 'root', messages: [output('o1', 1, 'still here')] }))
    })
    expect(texts(messages)).toEqual(['still here'])
    expect(isPartial(end) && end.recovered).toBe(true)
    expect(end.facts.title).toBe('Fix the basket total')
  })

  test('with a broken message shows what can be read of it, and says so', async () => {
    const inner = encodeProto([[1, 'the beginning']])
    const content = Buffer.concat([inner, Buffer.from([0x12, 0x50, 0x41])])
    const { messages, end } = await readWarp(database =>
      addTask(database, 'root', task('root', { messages: [message('m1', 0, 3, content), output('m2', 1, 'fine')] })),
    )
    expect(texts(messages)).toEqual(['the beginning', 'fine'])
    expect(end.findings).toMatchObject([{ damage: 'undecodable-message', severity: 'lost', at: { row: 1 } }])
  })

  test('that gives back nothing does not hide the queries and commands', async () => {
    const { messages, end } = await readWarp(database => {
      addTask(database, 'root', Buffer.alloc(0))
      addQuery(database, '10:00:00', JSON.stringify([{ Query: { text: 'Still known', context: [] } }]))
    })
    expect(texts(messages.filter(({ role }) => role === 'user'))).toEqual(['Still known'])
    expect(isPartial(end)).toBe(true)
  })

  test('with one id twice still gives both messages', async () => {
    const { messages } = await readWarp(database =>
      addTask(database, 'root', task('root', { messages: [query('m1', 0, 'one'), output('m1', 1, 'two')] })),
    )
    expect(texts(messages)).toEqual(['one', 'two'])
  })
})
