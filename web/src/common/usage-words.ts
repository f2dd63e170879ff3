// Formats tokens and costs. Pure.
import type { ApiUsage } from '../../../src/server/protocol.ts'
import { formatCount } from './format.ts'

const UNITS = ['', 'K', 'M', 'B', 'T']
const SYMBOLS: Record<string, string> = { USD: '$', EUR: '€', GBP: '£' }

/** "950", "12.3K", "1.2M". */
export function formatTokens(tokens: number): string {
  let size = tokens
  let unit = 0
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000
    unit++
  }
  const isShort = unit > 0 && size < 99.95
  return `${isShort ? size.toFixed(1) : Math.round(size)}${UNITS[unit]}`
}

/**
 * "$1.25", "less than $0.01", "3.00 JPY". Several currencies are joined. Empty if no record contains a cost.
 */
export function formatCosts(costs: ApiUsage['costs']): string {
  return Object.entries(costs)
    .filter(([, amount]) => amount > 0)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(' + ')
}

function formatMoney(amount: number, currency: string): string {
  const symbol = SYMBOLS[currency]
  const write = (number: string) => (symbol === undefined ? `${number} ${currency}` : `${symbol}${number}`)
  if (amount < 0.005) return `less than ${write('0.01')}`
  return write(amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 }))
}

/** The tokens sent, including those written to the cache. */
export function sentTokens({ input, cacheWrite }: ApiUsage): number {
  return input + cacheWrite
}

/** "12.3K tokens in, 4.5K out" */
export function usageWords(usage: ApiUsage): string {
  return `${formatTokens(sentTokens(usage))} tokens in, ${formatTokens(usage.output)} out`
}

/** Every exact figure, for a tooltip. */
export function usageDetails(usage: ApiUsage): string {
  const lines = [
    `${formatCount(usage.input)} tokens in`,
    `${formatCount(usage.output)} out`,
    `${formatCount(usage.cacheRead)} read from the cache`,
    `${formatCount(usage.cacheWrite)} written to the cache`,
  ]
  const costs = formatCosts(usage.costs)
  return [...lines, ...(costs === '' ? [] : [`${costs} as the agent recorded it`])].join('\n')
}

export function addUsage(all: readonly ApiUsage[]): ApiUsage {
  const sum: ApiUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costs: {} }
  for (const { input, output, cacheRead, cacheWrite, costs } of all) {
    sum.input += input
    sum.output += output
    sum.cacheRead += cacheRead
    sum.cacheWrite += cacheWrite
    for (const [currency, amount] of Object.entries(costs)) sum.costs[currency] = (sum.costs[currency] ?? 0) + amount
  }
  return sum
}
