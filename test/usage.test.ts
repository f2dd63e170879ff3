// Tokens and cost, from the records of real stores to the row of a session: each request counts once, whatever repeats it.
import { describe, expect, test } from 'vitest'
import { listSessions } from '../src/catalog/list.ts'
import type { UsageTotal } from '../src/model/usage.ts'
import { UsageTally } from '../src/model/usage.ts'
import { lines, put, temporaryHome } from './support/home.ts'
import { answered, chunk, prompt, update } from './support/journal/conversation-samples.ts'
import { makeJournal, readOne } from './support/journal-agent.ts'
import { contextOf, liveSessions, makeLibrary, refreshFully } from './support/live-sessions.ts'

const SESSION = 'cccccccc-0000-4000-8000-000000000000'
const NONE = { cacheRead: 0, cacheWrite: 0, costs: {} }

async function usageIn(home: string): Promise<UsageTotal | undefined> {
  const { sessions, failures } = await listSessions(contextOf(home))
  expect(failures).toEqual([])
  expect(sessions).toHaveLength(1)
  return sessions[0]?.usage
}

describe('Claude Code', () => {
  let number = 0
  const link = (body: object) => {
    const own = number++
    const timestamp = new Date(Date.UTC(2026, 10, 1) + own * 1000).toISOString()
    return { uuid: `u${own}`, parentUuid: own === 0 ? null : `u${own - 1}`, sessionId: SESSION, timestamp, ...body }
  }
  const said = (content: unknown) => link({ type: 'user', message: { role: 'user', content } })
  const spoken = (id: string, text: string, usage: object, more: object = {}) => {
    const message = { id, role: 'assistant', model: 'm', content: [{ type: 'text', text }], usage }
    return link({ type: 'assistant', message, ...more })
  }
  const totalOf = async (make: () => object[]) => {
    number = 0
    const home = temporaryHome()
    put(home, `.claude/projects/-home-dev-shop/${SESSION}.jsonl`, lines(...make()))
    return await usageIn(home)
  }

  test('the lines of one message repeat its count: it counts once, as it was last', async () => {
    const total = await totalOf(() => [
      said('hi'),
      spoken('msg_1', 'a', { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 100 }),
      spoken('msg_1', 'b', { input_tokens: 5, output_tokens: 9, cache_read_input_tokens: 100 }),
      said('more'),
      spoken('msg_2', 'c', { input_tokens: 2, output_tokens: 3, cache_creation_input_tokens: 40 }),
    ])
    expect(total).toEqual({ input: 7, output: 12, cacheRead: 100, cacheWrite: 40, costs: {} })
  })

  test('also where they stand far apart, with another message between them', async () => {
    const total = await totalOf(() => [
      said('hi'),
      spoken('msg_1', 'a', { input_tokens: 5, output_tokens: 1 }),
      spoken('msg_2', 'b', { input_tokens: 2, output_tokens: 3 }),
      spoken('msg_1', 'c', { input_tokens: 5, output_tokens: 9 }),
    ])
    expect(total).toEqual({ ...NONE, input: 7, output: 12 })
  })

  test('the cost is what the agent has added up last, or else what stands beside the messages', async () => {
    const counted = { input_tokens: 1, output_tokens: 1 }
    const state = (totalCostUSD: number) => ({ type: 'cost-state', sessionId: SESSION, totalCostUSD })
    const added = await totalOf(() => [said('hi'), spoken('m', 'a', counted), state(0.1), said('x'), state(0.3)])
    expect(added?.costs).toEqual({ USD: 0.3 })
    const old = await totalOf(() => [
      said('hi'),
      spoken('m', 'a', counted, { costUSD: 0.02 }),
      spoken('m', 'b', counted, { costUSD: 0.02 }),
    ])
    expect(old?.costs).toEqual({ USD: 0.02 })
  })

  test('a session without any count has no usage', async () => {
    expect(await totalOf(() => [said('hi')])).toBeUndefined()
  })
})

describe('Codex', () => {
  const ID = '0199aaaa-0000-7000-8000-000000000001'
  const record = (type: string, payload: object) => ({ timestamp: '2026-11-01T10:00:00.000Z', type, payload })
  const message = (role: string, text: string) =>
    record('response_item', { type: 'message', role, content: [{ type: 'output_text', text }] })
  const figures = (input: number, cached: number, output: number) => ({
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: 1,
    total_tokens: input + output,
  })
  const count = (total: object, last?: object) =>
    record('event_msg', {
      type: 'token_count',
      info: { total_token_usage: total, ...(last === undefined ? {} : { last_token_usage: last }) },
    })
  const header = record('session_meta', { id: ID, cwd: '/home/dev/shop', cli_version: '0.166.0' })
  const turns = [
    message('user', 'hi'),
    message('assistant', 'one'),
    count(figures(100, 40, 10), figures(100, 40, 10)),
    count(figures(100, 40, 10), figures(100, 40, 10)),
    message('user', 'more'),
    message('assistant', 'two'),
    count(figures(300, 140, 25), figures(200, 100, 15)),
  ]
  const totalOf = async (...records: object[]) => {
    const home = temporaryHome()
    put(home, `.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${ID}.jsonl`, lines(header, ...records))
    return await usageIn(home)
  }
  const wanted = { input: 160, output: 25, cacheRead: 140, cacheWrite: 0, costs: {} }

  test('totals grow, and what is reported twice counts once; the cache is no part of the input', async () => {
    expect(await totalOf(...turns)).toEqual(wanted)
  })

  test('several requests for one answer, and totals alone, come to the last total', async () => {
    const more = [count(figures(310, 140, 30)), count(figures(400, 150, 40), figures(90, 10, 10))]
    expect(await totalOf(...turns, ...more)).toEqual({ ...wanted, input: 250, output: 40, cacheRead: 150 })
  })

  test('a rollout that was written twice took what it took once', async () => {
    expect(await totalOf(...turns, ...turns)).toEqual(wanted)
  })

  test('where the agent began to count again, both counts are true', async () => {
    const again = [message('assistant', 'three'), count(figures(7, 0, 3), figures(7, 0, 3))]
    expect(await totalOf(...turns, ...again)).toEqual({ ...wanted, input: 167, output: 28 })
  })
})

test.each([
  ['gemini-cli', undefined],
  ['amp', undefined],
  ['opencode', 'tree'],
  ['opencode', 'database'],
] as const)(
  'the library tells what the sessions of %s took, also where their store lists them by itself (%s)',
  async (agent, generation) => {
    const home = temporaryHome()
    makeLibrary(home, 2, { agents: [agent], ...(generation === undefined ? {} : { generations: [generation] }) })
    const sessions = liveSessions(home)
    await refreshFully(sessions)
    const rows = [...sessions.all()].map(({ row }) => row)
    expect(rows.length).toBeGreaterThan(0)
    for (const { usage } of rows) expect(usage?.output).toBeGreaterThan(0)
    const { usage } = sessions.overview([])
    expect(usage.every(line => line.agent === agent && /^\d{4}-\d\d$/.test(line.month))).toBe(true)
    const inMonths = usage.reduce((sum, line) => sum + line.usage.output, 0)
    expect(inMonths).toBe(rows.reduce((sum, row) => sum + (row.usage?.output ?? 0), 0))
    if (agent === 'opencode') for (const row of rows) expect(row.usage?.costs['USD']).toBeGreaterThan(0)
  },
)

test('an agent over ACP says what everything has cost so far: each answer took the difference', async () => {
  const { agent, add } = await makeJournal()
  const cost = (amount: number) => update('usage_update', { used: 1, size: 10, cost: { amount, currency: 'EUR' } })
  const usage = { inputTokens: 3, outputTokens: 4 }
  await add('s', [
    prompt(1, 'one'),
    chunk('a'),
    cost(0.1),
    answered(1, { stopReason: 'end_turn', usage }),
    prompt(2, 'two'),
    chunk('b'),
    cost(0.25),
    answered(2, { stopReason: 'end_turn', usage }),
  ])
  const { messages } = await readOne(agent, 's')
  const tally = new UsageTally()
  for (const message of messages) tally.add(message)
  const total = tally.result()?.total
  expect(total).toMatchObject({ input: 6, output: 8 })
  expect(total?.costs['EUR']).toBeCloseTo(0.25)
  expect(messages.filter(({ usage: took }) => took !== undefined)).toHaveLength(2)
})
