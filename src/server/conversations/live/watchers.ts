// Who watches a conversation. What changes within a moment is told together; who is behind is told later, and then only how it is by then.
import { LIVE_BYTES_PER_MS, LIVE_PAUSE_MS } from '../../limits.ts'
import type { LiveMessage, ServerMessage, TalkState } from '../../protocol.ts'

export interface WatchingClient {
  readonly isOpen: boolean
  send(message: ServerMessage): void
  isCongested(): boolean
}

interface Due {
  messages: Set<string>
  isStateDue: boolean
}

export interface Watched {
  state(): TalkState
  message(id: string): LiveMessage | undefined
  allIds(): string[]
}

export class Watchers {
  readonly #watched: Watched
  readonly #due = new Map<WatchingClient, Due>()
  #timer: NodeJS.Timeout | undefined
  #pauseMs = LIVE_PAUSE_MS

  constructor(watched: Watched) {
    this.#watched = watched
  }

  get size(): number {
    return this.#due.size
  }

  /** Is told everything at once. */
  add(client: WatchingClient): void {
    this.#due.set(client, { messages: new Set(), isStateDue: false })
    const { id, key } = this.#tellState(client)
    client.send({
      type: 'conversation.messages',
      id,
      key,
      isWhole: true,
      messages: this.#messages(this.#watched.allIds()),
    })
  }

  delete(client: WatchingClient): void {
    this.#due.delete(client)
  }

  note({ messages, isOther }: { messages: readonly string[]; isOther: boolean }): void {
    if (this.#due.size === 0 || (messages.length === 0 && !isOther)) return
    for (const due of this.#due.values()) {
      for (const id of messages) due.messages.add(id)
      due.isStateDue ||= isOther
    }
    this.#later()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#due.clear()
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#tellAll()
    }, this.#pauseMs)
    this.#timer.unref()
  }

  #tellAll(): void {
    let chars = 0
    for (const [client, due] of this.#due) {
      if (!client.isOpen) this.#due.delete(client)
      else if (!client.isCongested()) chars = Math.max(chars, this.#tell(client, due))
    }
    this.#pauseMs = LIVE_PAUSE_MS + Math.round(chars / LIVE_BYTES_PER_MS)
    const isMoreDue = [...this.#due.values()].some(({ messages, isStateDue }) => isStateDue || messages.size > 0)
    if (isMoreDue) this.#later()
  }

  /** Messages first: whoever hears that a turn has ended has seen its end. */
  #tell(client: WatchingClient, due: Due): number {
    const messages = this.#messages(due.messages)
    const { id, key } = this.#watched.state()
    if (messages.length > 0) client.send({ type: 'conversation.messages', id, key, isWhole: false, messages })
    if (due.isStateDue) this.#tellState(client)
    due.messages.clear()
    due.isStateDue = false
    return sizeOf(messages)
  }

  #tellState(client: WatchingClient): TalkState {
    const state = this.#watched.state()
    client.send({ type: 'conversation.state', ...state })
    return state
  }

  #messages(ids: Iterable<string>): LiveMessage[] {
    return [...ids].map(id => this.#watched.message(id)).filter(message => message !== undefined)
  }
}

/** About: what is long in a message is its texts. */
function sizeOf(messages: readonly LiveMessage[]): number {
  let chars = 0
  for (const { parts } of messages)
    for (const part of parts) chars += 'text' in part ? part.text.length : 'output' in part ? part.output.length : 100
  return chars
}
