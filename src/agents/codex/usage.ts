// Token counts are records of their own. They belong to what the model said just before, or in old files to what it says next.
import type { Message, Usage } from '../../model/message.ts'

/** Plain data, because it is part of a checkpoint. */
export interface UsageState {
  /** The last message of the model's last answer. */
  open?: Message
  /** Whether this answer has its count. */
  counted: boolean
  /** Whether something that is not of the model came after it. */
  closed: boolean
  /** A count that came before its answer. */
  waiting?: Usage
  /** The total at the last count: the same total again is the same count again. */
  total?: string
}

/** Results of parallel calls may come between an answer and its count; more than this many are not waited for. */
const MAX_HELD = 64

export function newUsageState(): UsageState {
  return { counted: false, closed: true }
}

/** Holds the last message of the model back until its count is known, and with it what comes in between. */
export class Outbox {
  readonly state: UsageState
  #held: Message[] = []

  constructor(state: UsageState) {
    this.state = state
  }

  *add(message: Message): Generator<Message, void, void> {
    if (message.role === 'assistant') yield* this.#addAnswer(message)
    else {
      if (message.role === 'user') {
        yield* this.flush()
        delete this.state.waiting
      }
      if (message.role !== 'system') this.state.closed = true
      if (this.#held.length === 0) yield message
      else this.#held.push(message)
      if (this.#held.length > MAX_HELD) yield* this.flush()
    }
  }

  *#addAnswer(message: Message): Generator<Message, void, void> {
    const { state } = this
    yield* this.flush()
    if (state.closed) state.counted = false
    state.closed = false
    state.open = message
    if (state.waiting !== undefined) {
      state.open = { ...message, usage: state.waiting }
      state.counted = true
      delete state.waiting
    }
    this.#held = [state.open]
  }

  *count(usage: Usage, total: string): Generator<Message, void, void> {
    const { state } = this
    if (total === state.total) return
    state.total = total
    if (state.open === undefined || (state.counted && state.closed)) {
      state.waiting = usage
      return
    }
    state.open = { ...state.open, usage }
    state.counted = true
    if (this.#held.length > 0) this.#held[0] = state.open
    else yield state.open
    yield* this.flush()
  }

  *flush(): Generator<Message, void, void> {
    const held = this.#held
    this.#held = []
    yield* held
  }
}
