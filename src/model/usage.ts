// The tokens and the cost of a conversation, as its records state them. Figures of all agents mean the same.
// No price is ever assumed.
import type { Message } from './message.ts'

/** Tokens as the agent counted them. A figure that the store does not record is absent. */
export interface Usage {
  input?: number
  output?: number
  cacheRead?: number
  cacheWrite?: number
  reasoning?: number
  /** Only if the record itself states it. */
  cost?: Cost
}

export interface Cost {
  amount: number
  /** ISO 4217. */
  currency: string
}

/**
 * How a store differs from the usual count, in which the input excludes cache reads and the output includes
 * reasoning.
 */
export interface TokenCounting {
  inputHoldsCache?: boolean
  outputLacksReasoning?: boolean
}

/** `input` excludes cache reads. `output` is everything the model wrote. */
export interface UsageTotal {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  /** By currency. */
  costs: Record<string, number>
}

/** By month, such as "2026-11", in UTC. */
export type MonthlyUsage = Record<string, UsageTotal>

export interface SessionUsage {
  total: UsageTotal
  months: MonthlyUsage
}

/**
 * A message that has grown is given again under the same id. More ids than any conversation seen so far are
 * remembered.
 */
const MAX_REMEMBERED = 500_000
/** A larger figure is damage, not a count. */
const MAX_TOKENS = 1e12
const MAX_COST = 1e9
const NO_TIME = 'unknown'
const MONTH_LENGTH = '2026-11'.length

export class UsageTally {
  readonly #counting: TokenCounting
  readonly #counted = new Map<string, { month: string; total: UsageTotal }>()
  readonly #months = new Map<string, UsageTotal>()
  #lastMonth = NO_TIME

  constructor(counting: TokenCounting = {}) {
    this.#counting = counting
  }

  /** Each message counts once, in its last form. */
  add({ id, time, usage }: Pick<Message, 'id' | 'time' | 'usage'>): void {
    const own = time === null ? undefined : this.#noteMonth(time)
    const total = usage === undefined ? undefined : normalized(usage, this.#counting)
    if (total === undefined) return
    const before = this.#counted.get(id)
    if (before !== undefined) addTo(this.#monthOf(before.month), before.total, -1)
    const month = before?.month ?? own ?? this.#lastMonth
    addTo(this.#monthOf(month), total, 1)
    if (this.#counted.size < MAX_REMEMBERED) this.#counted.set(id, { month, total })
  }

  /**
   * `cost` is the agent's own total for the conversation. It replaces the costs of the messages. Undefined if
   * nothing was counted.
   */
  result(cost?: Cost): SessionUsage | undefined {
    const months = new Map<string, UsageTotal>()
    for (const [month, total] of this.#months) {
      const copy = emptyTotal()
      addTo(copy, total)
      months.set(month, copy)
    }
    const amount = within(cost?.amount, MAX_COST)
    if (cost !== undefined && amount !== undefined) {
      for (const total of months.values()) total.costs = {}
      const month = months.get(this.#lastMonth) ?? emptyTotal()
      month.costs = { [currencyOf(cost)]: amount }
      months.set(this.#lastMonth, month)
    }
    if (months.size === 0) return undefined
    const total = emptyTotal()
    for (const month of months.values()) addTo(total, month, 1)
    return { total, months: Object.fromEntries(months) }
  }

  /** Most messages are of the month of the one before, whose text is then used again. */
  #noteMonth(time: string): string {
    const isSame = time.startsWith(this.#lastMonth) && this.#lastMonth.length === MONTH_LENGTH
    if (!isSame) this.#lastMonth = time.slice(0, MONTH_LENGTH)
    return this.#lastMonth
  }

  #monthOf(month: string): UsageTotal {
    const known = this.#months.get(month)
    if (known !== undefined) return known
    const total = emptyTotal()
    this.#months.set(month, total)
    return total
  }
}

export function emptyTotal(): UsageTotal {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costs: {} }
}

/** Adds in place. */
export function addTo(sum: UsageTotal, other: UsageTotal, sign: 1 | -1 = 1): void {
  sum.input += sign * other.input
  sum.output += sign * other.output
  sum.cacheRead += sign * other.cacheRead
  sum.cacheWrite += sign * other.cacheWrite
  for (const currency in other.costs)
    sum.costs[currency] = (sum.costs[currency] ?? 0) + sign * (other.costs[currency] ?? 0)
}

/** Undefined if the record states no figures. */
function normalized(usage: Usage, { inputHoldsCache, outputLacksReasoning }: TokenCounting): UsageTotal | undefined {
  const cacheRead = within(usage.cacheRead) ?? 0
  const stored = within(usage.input) ?? 0
  const reasoning = outputLacksReasoning === true ? (within(usage.reasoning) ?? 0) : 0
  const amount = within(usage.cost?.amount, MAX_COST) ?? 0
  const total: UsageTotal = {
    input: inputHoldsCache === true ? Math.max(0, stored - cacheRead) : stored,
    output: (within(usage.output) ?? 0) + reasoning,
    cacheRead,
    cacheWrite: within(usage.cacheWrite) ?? 0,
    costs: usage.cost === undefined || amount === 0 ? {} : { [currencyOf(usage.cost)]: amount },
  }
  const { input, output, cacheWrite } = total
  return input + output + cacheRead + cacheWrite + amount === 0 ? undefined : total
}

function within(figure: number | undefined, most = MAX_TOKENS): number | undefined {
  return figure !== undefined && Number.isFinite(figure) && figure >= 0 && figure <= most ? figure : undefined
}

/** The name comes from a record. Anything that is not a currency code counts as USD. */
function currencyOf({ currency }: Cost): string {
  return /^[A-Z]{3}$/.test(currency) ? currency : 'USD'
}
