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

type Pick = (one: number, other: number) => number

/** Field by field: every line with usage comes here. */
function combine(one: Usage, other: Usage, pick: Pick): Usage {
  const usage: Usage = {}
  const input = combineFigures(one.input, other.input, pick)
  if (input !== undefined) usage.input = input
  const output = combineFigures(one.output, other.output, pick)
  if (output !== undefined) usage.output = output
  const cacheRead = combineFigures(one.cacheRead, other.cacheRead, pick)
  if (cacheRead !== undefined) usage.cacheRead = cacheRead
  const cacheWrite = combineFigures(one.cacheWrite, other.cacheWrite, pick)
  if (cacheWrite !== undefined) usage.cacheWrite = cacheWrite
  const cost = combineFigures(one.cost?.amount, other.cost?.amount, pick)
  if (cost !== undefined) usage.cost = { amount: cost, currency: 'USD' }
  return usage
}

function combineFigures(one: number | undefined, other: number | undefined, pick: Pick): number | undefined {
  return one === undefined && other === undefined ? undefined : pick(one ?? 0, other ?? 0)
}

/** New versions record the total cost of the session. The last such record counts. */
export function costIn(record: Json): Cost | undefined {
  return record['type'] === 'cost-state' ? asDollars(record['totalCostUSD']) : undefined
}

function asDollars(value: unknown): Cost | undefined {
  const amount = asNumber(value)
  return amount === undefined ? undefined : { amount, currency: 'USD' }
}
