import { describe, expect, test } from 'vitest'
import { addBlock, addConversation, addQuery, readWarp, texts } from '../../../test/support/warp/store.ts'

describe('a warp conversation without tasks', () => {
  test('consists of its queries and commands, in the order of their times and without colours', async () => {
    const { messages, end, session } = await readWarp(database => {
      addConversation(database)
      addBlock(database, '10:00:02', '\u001b[1mnpm test\u001b[0m', '\u001b[31m1 failed\u001b[0m\r\n', 1)
      addQuery(database, '10:00:01', JSON.stringify([{ Query: { text: 'Run the tests', context: [] } }]))
      addQuery(database, '10:00:03', '[]')
      addQuery(database, '10:00:04', JSON.stringify([{ ActionResult: { ok: true } }]))
    })
    expect(messages.slice(1).map(({ role, parts }) => [role, parts[0]])).toEqual([
      ['user', { type: 'text', text: 'Run the tests' }],
      [
        'assistant',
        { type: 'tool-call', id: 'call-10:00:02', name: 'run_shell_command', input: { command: 'npm test' } },
      ],
      ['tool', { type: 'tool-result', id: 'call-10:00:02', output: '1 failed', isError: true }],
      ['system', { type: 'unknown', recordType: 'ActionResult', value: { ActionResult: { ok: true } } }],
    ])
    expect(messages[0]).toMatchObject({ role: 'system', parts: [{ type: 'notice' }] })
    expect(end.type).toBe('complete')
    expect(end.counts).toEqual({ records: 4, bookkeeping: 1, unknown: 1, skipped: 0 })
    expect(end.facts).toMatchObject({ title: 'Run the tests', project: '/home/dev/shop', model: 'auto' })
    expect(session).toMatchObject({ title: 'Run the tests', project: '/home/dev/shop' })
  })

  test('is found by its commands alone', async () => {
    const { session, end } = await readWarp(database => addBlock(database, '10:00:00', 'ls', 'README.md'))
    expect(session.project).toBe('/home/dev/shop')
    expect(end.facts.project).toBe('/home/dev/shop')
  })

  test('says which query could not be read', async () => {
    const { messages, end } = await readWarp(database => {
      addQuery(database, '10:00:00', '[{"Query":{"text":"cut o')
      addQuery(database, '10:00:01', JSON.stringify([{ Query: { text: 'whole' } }]))
    })
    expect(texts(messages).slice(1)).toEqual(['whole'])
    expect(end.findings).toMatchObject([
      { damage: 'malformed-json', severity: 'lost', at: { table: 'ai_queries', row: 1 } },
    ])
  })
})
