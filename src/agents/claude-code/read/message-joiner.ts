// Joins the lines of one model message. Results of its calls may stand between them, so both are held back
// until another record comes.
import type { Message } from '../../../model/message.ts'
import type { Usage } from '../../../model/usage.ts'
import { mergeInto } from './messages.ts'
import { beyond, largest } from './usage.ts'

/** The last message of the model, to which later lines may be added. */
export interface OpenMessage {
  group: string
  message: Message
  /** The usage already counted for its group: lines of one message can be far apart and form two messages. */
  counted?: Usage
}

/** The maximum number of held results. No model makes that many calls in one message. */
export const MAX_HELD = 1000
/** The maximum number of model messages whose counted usage is remembered. */
export const MAX_COUNTED = 100_000

export interface JoinerState {
  open?: OpenMessage | undefined
  /** Whether the open message has not been given yet. */
  isHeld?: boolean
  results?: Message[]
}

export class MessageJoiner {
  open: OpenMessage | undefined
  #isHeld: boolean
  #results: Message[]
  readonly #counted: Map<string, Usage>

  constructor({ open, isHeld = false, results = [] }: JoinerState = {}, counted = new Map<string, Usage>()) {
    this.open = open
    this.#isHeld = isHeld
    this.#results = results
    this.#counted = counted
  }

  get state(): JoinerState {
    return { open: this.open, isHeld: this.#isHeld, results: this.#results }
  }

  *add(message: Message, group: string | undefined): Generator<Message, void, void> {
    if (group !== undefined && group === this.open?.group) this.#extend(this.open, message)
    else if (message.role === 'tool' && this.#results.length < MAX_HELD) this.#results.push(message)
    else {
      yield* this.flush()
      if (group === undefined) yield message
      else {
        const counted = this.#counted.get(group)
        this.open = { group, message, ...(counted === undefined ? {} : { counted }) }
        this.#isHeld = true
      }
    }
  }

  *flush(): Generator<Message, void, void> {
    if (this.#isHeld && this.open !== undefined) yield this.#counting(this.open)
    yield* this.#results
    this.#results = []
    this.#isHeld = false
  }

  #counting({ group, message, counted }: OpenMessage): Message {
    const { usage } = message
    if (usage === undefined) return message
    if (this.#counted.size < MAX_COUNTED) this.#counted.set(group, largest(counted, usage))
    return counted === undefined ? message : { ...message, usage: beyond(usage, counted) }
  }

  #extend(open: OpenMessage, next: Message): void {
    // A message that was given already belongs to the caller. Its successor is a new message with the same
    // id.
    if (!this.#isHeld) this.open = { ...open, message: { ...open.message, parts: [...open.message.parts] } }
    mergeInto((this.open ?? open).message, next)
    this.#isHeld = true
  }
}
