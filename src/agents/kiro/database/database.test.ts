import { describe, expect, test } from 'vitest'
import { environmentOf, temporaryHome } from '../../../../test/support/home.ts'
import {
  addRow,
  CALL,
  firstParts,
  fixture,
  NOON,
  putKiroDatabase,
  ROW,
  readSession,
  rolesOf,
  turnOf,
} from '../../../../test/support/kiro/store.ts'
import { discoverAll, resumeFrom } from '../../../../test/support/reading.ts'
import { isPartial } from '../../../model/reading.ts'
import { kiro } from '../index.ts'

describe('kiro database', () => {
  const readValue = (value: unknown) => {
    const home = temporaryHome()
    putKiroDatabase(home, database => addRow(database, typeof value === 'string' ? value : JSON.stringify(value)))
    return readSession(home, ROW)
  }

  test('turns are prompts, calls, results and answers', async () => {
    const { messages, end, session } = await readValue(fixture('database-value.json').toString())
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages[1]?.parts).toEqual([
      { type: 'text', text: 'Tests first.' },
      { ...CALL, name: 'execute_bash' },
    ])
    expect(messages[1]).toMatchObject({ time: '2026-11-01T10:00:05.000Z', model: 'auto' })
    expect(messages[2]?.parts).toEqual([
      { type: 'tool-result', id: 't1', output: '{"exit_status":"1","stdout":"1 failed"}', isError: true },
    ])
    expect(messages[0]?.at).toEqual({ file: session.filePath, table: 'conversations_v2', row: ROW })
    expect(end.facts).toEqual({
      sessionId: ROW,
      title: 'The basket total is wrong',
      project: '/home/dev/shop',
      startedAt: '2026-11-01T11:59:00.000Z',
      updatedAt: '2026-11-01T12:00:00.000Z',
      model: 'claude-sonnet-4.5',
    })
    expect(session).toMatchObject({ project: '/home/dev/shop', updatedAt: NOON })
  })

  test('of one conversation under several folders, the newest counts', async () => {
    const home = temporaryHome()
    putKiroDatabase(home, database => {
      addRow(database, JSON.stringify({ history: [turnOf('new')] }), NOON, '/home/dev/shop')
      addRow(database, JSON.stringify({ history: [turnOf('old')] }), NOON - 1, '/home/dev/elsewhere')
    })
    const found = await discoverAll(kiro, environmentOf(home))
    expect(found).toHaveLength(1)
    const { messages, end } = await readSession(home, ROW)
    expect(firstParts(messages)).toEqual([
      { type: 'text', text: 'new' },
      { type: 'text', text: 'new' },
    ])
    expect(end.facts.project).toBe('/home/dev/shop')
  })

  test('a value that was cut gives the turns before the cut, as a partial reading', async () => {
    const whole = JSON.stringify({ conversation_id: ROW, history: [turnOf('one'), turnOf('two')] })
    const { messages, end } = await readValue(whole.slice(0, -20))
    expect(messages).toHaveLength(2)
    expect(isPartial(end) && end.error.code).toBe('records-unreadable')
    expect(end.findings).toMatchObject([
      { damage: 'document-cut-short', severity: 'lost', at: { table: 'conversations_v2', row: ROW } },
    ])
  })

  test('a turn that is not JSON loses that turn alone', async () => {
    const turn = (text: string) => JSON.stringify(turnOf(text))
    const { messages, end } = await readValue(`{"history":[${turn('one')},{"user":nonsense},${turn('three')}]}`)
    expect(firstParts(messages).map(part => part?.type === 'text' && part.text)).toEqual([
      'one',
      'one',
      'three',
      'three',
    ])
    expect(end.findings).toMatchObject([{ damage: 'malformed-element', severity: 'lost' }])
  })

  test('old pairs, cancelled calls, hooks, an unanswered prompt and a summary are all shown', async () => {
    const cancelled = {
      prompt: 'Stop, plan first',
      tool_use_results: [{ tool_use_id: 't1', content: [{ Text: 'Cancelled' }] }],
    }
    const { messages, end } = await readValue({
      next_message: { content: { Prompt: { prompt: 'Unanswered' } } },
      history: [
        [
          { content: { Prompt: { prompt: 'Go' } }, additional_context: 'from a hook' },
          { Response: { content: 'Gone' } },
        ],
        [{ content: { CancelledToolUses: cancelled } }, { Later: { content: 'of a later version' } }],
      ],
      latest_summary: ['They talked about tax.', {}],
    })
    expect(rolesOf(messages)).toEqual(['system', 'user', 'assistant', 'tool', 'user', 'system', 'user', 'system'])
    expect(firstParts(messages).slice(3)).toEqual([
      { type: 'tool-result', id: 't1', output: 'Cancelled', isError: false },
      { type: 'text', text: 'Stop, plan first' },
      { type: 'unknown', recordType: 'Later', value: { Later: { content: 'of a later version' } } },
      { type: 'text', text: 'Unanswered' },
      { type: 'notice', text: 'Kiro compacted this conversation; it began with: They talked about tax.' },
    ])
    expect(end.counts).toEqual({ records: 2, bookkeeping: 0, unknown: 1, skipped: 0 })
  })

  test('the older table is read too, by the id in its value or else by its folder', async () => {
    const home = temporaryHome()
    putKiroDatabase(home, database => {
      const insert = database.prepare('INSERT INTO conversations (key, value) VALUES (?, ?)')
      insert.run('/home/dev/shop', JSON.stringify({ conversation_id: 'old-one', history: [turnOf('hello')] }))
      insert.run('/home/dev/other', '{"history":[')
    })
    const { messages, end } = await readSession(home, 'old-one')
    expect(messages).toHaveLength(2)
    expect(end.facts).toMatchObject({ sessionId: 'old-one', project: '/home/dev/shop', title: 'hello' })
    expect(isPartial((await readSession(home, 'folder:/home/dev/other')).end)).toBe(true)
  })

  test('a value that is not a document is an error', async () => {
    await expect(readValue('gone')).rejects.toMatchObject({ code: 'not-a-session' })
  })

  test('cannot be resumed by id, and says how to continue', async () => {
    const { session, end } = await readValue({ history: [] })
    expect(resumeFrom(kiro, session, end.facts)).toMatchObject({
      type: 'unsupported',
      reason: expect.stringContaining('--resume'),
    })
  })
})
