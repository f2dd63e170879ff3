// The clients that watch one conversation. Changes within a moment are sent together. A client that is behind
// gets only the latest state.
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

  /** Sends the whole state at once. */
  add(client: WatchingClient): void {
    this.#due.set(client, { messages: new Set(), isStateDue: false })
    const { id, key } = this.#sendState(client)
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
      this.#sendAll()
    }, this.#pauseMs)
    this.#timer.unref()
  }

  #sendAll(): void {
    let chars = 0
    for (const [client, due] of this.#due) {
      if (!client.isOpen) this.#due.delete(client)
      else if (!client.isCongested()) chars = Math.max(chars, this.#send(client, due))
    }
    this.#pauseMs = LIVE_PAUSE_MS + Math.round(chars / LIVE_BYTES_PER_MS)
    const isMoreDue = [...this.#due.values()].some(({ messages, isStateDue }) => isStateDue || messages.size > 0)
    if (isMoreDue) this.#later()
  }

  /** Sends messages first, so that a client that learns of the end of a turn has all its messages. */
  #send(client: WatchingClient, due: Due): number {
    const messages = this.#messages(due.messages)
    const { id, key } = this.#watched.state()
    if (messages.length > 0) client.send({ type: 'conversation.messages', id, key, isWhole: false, messages })
    if (due.isStateDue) this.#sendState(client)
    due.messages.clear()
    due.isStateDue = false
    return sizeOf(messages)
  }

  #sendState(client: WatchingClient): TalkState {
    const state = this.#watched.state()
    client.send({ type: 'conversation.state', ...state })
    return state
  }

  #messages(ids: Iterable<string>): LiveMessage[] {
    return [...ids].map(id => this.#watched.message(id)).filter(message => message !== undefined)
  }
}

/** An estimate: only texts and outputs are long. */
function sizeOf(messages: readonly LiveMessage[]): number {
  let chars = 0
  for (const { parts } of messages)
    for (const part of parts) chars += 'text' in part ? part.text.length : 'output' in part ? part.output.length : 100
  return chars
}
