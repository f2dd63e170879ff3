// Token counts are separate records. They belong to the model message before them, or in old files to the one
// after them.
import type { Message, Usage } from '../../../model/message.ts'

export type Tokens = Omit<Usage, 'cost'>

export interface TokenCount {
  /** For one request. */
  usage?: Tokens
  /** For everything so far. */
  total?: Total
}

/** `name` is the stored record. It identifies a repeated total. */
export interface Total extends Tokens {
  name: string
}

/** Plain data, because it is part of a checkpoint. */
export interface UsageState {
  /** The last message of the model's last answer. */
  open?: Message
  /** Whether this answer has its count. */
  counted: boolean
  /** Whether a record that is not from the model came after it. */
  closed: boolean
  /** A count that came before its answer. */
  waiting?: Tokens
  /** The total at the last count. An equal total is the same count again. */
  total?: Total
}

/** Results of parallel calls may come between an answer and its count. This limits how many are held. */
export const MAX_HELD = 64
/** How many counted totals are remembered: a rollout that was written twice repeats them all. */
export const MAX_SEEN = 100_000
const NONE: readonly Message[] = []
const FIGURES = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const

export function newUsageState(): UsageState {
  return { counted: false, closed: true }
}

/** Holds the last message of the model, and the records after it, until its count is known. */
export class UsageJoiner {
  readonly state: UsageState
  readonly #seen: Set<string>
  #held: Message[]

  /** `seen` are the names of the totals that were counted. */
  constructor(state: UsageState, seen = new Set<string>(), held: Message[] = []) {
    this.state = state
    this.#seen = seen
    this.#held = held
  }

  get held(): readonly Message[] {
    return this.#held
  }

  /** The messages that are given with this one, in their order. */
  add(message: Message): readonly Message[] {
    if (message.role === 'assistant') return this.#addAnswer(message)
    if (message.role !== 'system') this.state.closed = true
    if (this.#held.length === 0) return [message]
    this.#held.push(message)
    return message.role === 'user' || this.#held.length > MAX_HELD ? this.flush() : NONE
  }

  #addAnswer(message: Message): readonly Message[] {
    const { state } = this
    const given = this.flush()
    if (state.closed) state.counted = false
    state.closed = false
    state.open = message
    if (state.waiting !== undefined) {
      state.open = { ...message, usage: state.waiting }
      state.counted = true
      delete state.waiting
    }
    this.#held = [state.open]
    return given
  }

  count(count: TokenCount): readonly Message[] {
    const { state } = this
    const usage = this.#takeNew(count)
    if (usage === undefined) return NONE
    if (state.open === undefined || (state.counted && state.closed)) {
      state.waiting = sum(state.waiting, usage)
      return NONE
    }
    state.open = { ...state.open, usage: sum(state.counted ? state.open.usage : undefined, usage) }
    state.counted = true
    if (this.#held.length === 0) return [state.open]
    this.#held[0] = state.open
    return this.flush()
  }

  flush(): readonly Message[] {
    const held = this.#held
    if (held.length > 0) this.#held = []
    return held
  }

  /** What this count adds to the earlier ones. Undefined if it adds nothing. */
  #takeNew({ usage, total }: TokenCount): Tokens | undefined {
    const before = this.state.total
    if (total === undefined) return usage
    if (this.#seen.has(total.name) || before?.name === total.name) return undefined
    if (this.#seen.size < MAX_SEEN) this.#seen.add(total.name)
    this.state.total = total
    if (usage === undefined) return before === undefined ? figuresOf(total) : difference(total, before, total)
    return before === undefined ? usage : difference(usage, before, total)
  }
}

/**
 * The totals include requests whose own count was lost. If a total is smaller than before, the agent has
 * restarted its count.
 */
function difference(usage: Tokens, before: Tokens, total: Tokens): Tokens {
  const added: Tokens = {}
  for (const figure of FIGURES) {
    const [old, now, last] = [before[figure], total[figure], usage[figure]]
    const isKnown = old !== undefined && now !== undefined && now >= old
    if (last !== undefined) added[figure] = isKnown ? now - old : last
  }
  return added
}

function figuresOf({ name: _, ...figures }: Total): Tokens {
  return figures
}

function sum(one: Tokens | undefined, other: Tokens): Tokens {
  if (one === undefined) return other
  const both: Tokens = {}
  for (const figure of FIGURES)
    if (one[figure] !== undefined || other[figure] !== undefined)
      both[figure] = (one[figure] ?? 0) + (other[figure] ?? 0)
  return both
}
