import { expect, it } from 'vitest'
import { addUsage, formatCosts, formatTokens, usageDetails, usageWords } from './usage-words.ts'

it.each([
  [0, '0'],
  [950, '950'],
  [999, '999'],
  [12_345, '12.3K'],
  [999_900, '1.0M'],
  [123_456_789, '123M'],
])('%d tokens are written as %s', (tokens, words) => {
  expect(formatTokens(tokens)).toBe(words)
})

it.each([
  [{}, ''],
  [{ USD: 0 }, ''],
  [{ USD: 1234.5 }, '$1,234.50'],
  [{ USD: 0.0004 }, 'less than $0.01'],
  [{ USD: 1, JPY: 30 }, '$1.00 + 30.00 JPY'],
])('a cost of %o is written as "%s"', (costs, words) => {
  expect(formatCosts(costs)).toBe(words)
})

const took = { input: 1000, output: 500, cacheRead: 90_000, cacheWrite: 200, costs: { USD: 0.5 } }

it('what is read from a cache is no part of what was sent', () => {
  expect(usageWords(took)).toBe('1.2K tokens in, 500 out')
  expect(usageDetails(took)).toContain('90,000 read from the cache')
})

it('usage adds up, by currency', () => {
  const other = { ...took, costs: { USD: 0.25, EUR: 1 } }
  expect(addUsage([took, other])).toEqual({
    input: 2000,
    output: 1000,
    cacheRead: 180_000,
    cacheWrite: 400,
    costs: { USD: 0.75, EUR: 1 },
  })
})
