// Token counts of the model's messages. Every line of a message repeats them, and the last counts are the
// largest. Old versions also wrote the cost.
import type { Cost, Usage } from '../../../model/usage.ts'
import type { Json } from '../../stores/values.ts'
import { asNumber, asObject } from '../../stores/values.ts'

export type TokenName = 'input' | 'output' | 'cacheRead' | 'cacheWrite'

/** The names of the figures, and those that the records give them. */
export const STORED: readonly [TokenName, string][] = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
]

const NAMES = STORED.map(([name]) => name)

export function usageOf(value: unknown, costUsd: unknown): Usage | undefined {
  const counts = asObject(value)
  const cost = asDollars(costUsd)
  if (counts === undefined && cost === undefined) return undefined
  const usage: Usage = cost === undefined ? {} : { cost }
  for (const [name, stored] of STORED) {
    const tokens = asNumber(counts?.[stored])
    if (tokens !== undefined) usage[name] = tokens
  }
  return usage
}

export function largest(one: Usage | undefined, other: Usage): Usage {
  return combine(one ?? {}, other, Math.max)
}

/** The part of `usage` that was not counted before. */
export function beyond(usage: Usage, counted: Usage): Usage {
  return combine(usage, counted, (now, before) => Math.max(0, now - before))
}

function combine(one: Usage, other: Usage, pick: (one: number, other: number) => number): Usage {
  const usage: Usage = {}
  for (const name of NAMES) {
    const [mine, theirs] = [one[name], other[name]]
    if (mine !== undefined || theirs !== undefined) usage[name] = pick(mine ?? 0, theirs ?? 0)
  }
  if (one.cost !== undefined || other.cost !== undefined)
    usage.cost = { amount: pick(one.cost?.amount ?? 0, other.cost?.amount ?? 0), currency: 'USD' }
  return usage
}

/** New versions record the total cost of the session. The last such record counts. */
export function costIn(record: Json): Cost | undefined {
  return record['type'] === 'cost-state' ? asDollars(record['totalCostUSD']) : undefined
}

function asDollars(value: unknown): Cost | undefined {
  const amount = asNumber(value)
  return amount === undefined ? undefined : { amount, currency: 'USD' }
}
