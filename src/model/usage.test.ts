import { describe, expect, test } from 'vitest'
import { UsageTally } from './usage.ts'

const at = (id: string, usage: object, time = '2026-11-15T10:00:00.000Z') => ({ id, time, usage })

test('tokens and cost are added up, in all and by month', () => {
  const tally = new UsageTally()
  tally.add(at('a', { input: 10, output: 2, cacheRead: 100, cost: { amount: 0.5, currency: 'USD' } }))
  tally.add(at('b', { input: 5, output: 1, cacheWrite: 7 }, '2026-12-01T00:00:00.000Z'))
  const result = tally.result()
  expect(result?.total).toEqual({ input: 15, output: 3, cacheRead: 100, cacheWrite: 7, costs: { USD: 0.5 } })
  expect(result?.months['2026-11']).toEqual({
    input: 10,
    output: 2,
    cacheRead: 100,
    cacheWrite: 0,
    costs: { USD: 0.5 },
  })
  expect(result?.months['2026-12']).toEqual({ input: 5, output: 1, cacheRead: 0, cacheWrite: 7, costs: {} })
})

test('a message that is given again as it grew counts once, as it was last', () => {
  const tally = new UsageTally()
  tally.add(at('a', { input: 10, output: 2 }))
  tally.add(at('a', { input: 10, output: 9 }))
  expect(tally.result()?.total).toMatchObject({ input: 10, output: 9 })
})

test('what the agent says of the whole conversation stands in place of the sum of its messages', () => {
  const tally = new UsageTally()
  tally.add(at('a', { input: 10, cost: { amount: 3, currency: 'USD' } }))
  expect(tally.result({ amount: 0.25, currency: 'USD' })?.total.costs).toEqual({ USD: 0.25 })
})

test('without a figure there is nothing, not a zero', () => {
  const tally = new UsageTally()
  tally.add({ id: 'a', time: null })
  tally.add(at('b', {}))
  tally.add(at('c', { input: 0, output: 0 }))
  expect(tally.result()).toBeUndefined()
})

describe('figures of agents that count in another way come to the same', () => {
  test('an input that includes cache reads', () => {
    const tally = new UsageTally({ inputHoldsCache: true })
    tally.add(at('a', { input: 100, cacheRead: 40, output: 1 }))
    expect(tally.result()?.total).toMatchObject({ input: 60, cacheRead: 40 })
  })

  test('an output without the reasoning', () => {
    const tally = new UsageTally({ outputLacksReasoning: true })
    tally.add(at('a', { input: 1, output: 20, reasoning: 5 }))
    expect(tally.result()?.total.output).toBe(25)
  })
})

test.each([-5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])(
  '%d is not a count, and does not change the sum',
  wrong => {
    const tally = new UsageTally()
    tally.add(at('a', { input: wrong, output: 3, cost: { amount: wrong, currency: '<b>' } }))
    expect(tally.result()?.total).toEqual({ input: 0, output: 3, cacheRead: 0, cacheWrite: 0, costs: {} })
  },
)
