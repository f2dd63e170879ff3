// The last messages of a live conversation as they grow, with the same shape and ids as in a reading.
import { endOf, partsOf, timeOf, wordsFor } from '../../../journal/as-agent/messages.ts'
import type {
  ConversationChange,
  ConversationMessage,
  ConversationPart,
} from '../../../journal/conversation/changes.ts'
import type { RowPlace } from '../../../model/message.ts'
import type { ApiPart, LiveMessage } from '../../api.ts'
import { MAX_LIVE_MESSAGES } from '../../limits.ts'
import { cutPart, fitted } from '../../readings/cut.ts'

type Entry =
  | { type: 'message'; message: ConversationMessage; parts: Map<string, ConversationPart> }
  | { type: 'notice'; seq: number; at: number; text: string }

export class LiveMessages {
  readonly #entries = new Map<string, Entry>()
  readonly #file: string
  /** Every change of a part makes a new object, so a cached part is never outdated. */
  readonly #shown = new WeakMap<ConversationPart, ApiPart[]>()
  #lastNotice = { seq: 0, count: 0 }

  constructor(file: string) {
    this.#file = file
  }

  /** Returns the ids of the messages that changed. */
  take(changes: readonly ConversationChange[]): string[] {
    const ids = changes.flatMap(change => {
      if (change.type === 'message') return this.#takeMessage(change.message, change.seq)
      if (change.type === 'part') return this.#takePart(change.messageId, change.part)
      const text = wordsFor(change)
      return text === undefined ? [] : [this.note(change.seq, change.at, text)]
    })
    this.#forget()
    return ids
  }

  note(seq: number, at: number, text: string): string {
    const count = this.#lastNotice.seq === seq ? this.#lastNotice.count + 1 : 0
    this.#lastNotice = { seq, count }
    const id = count === 0 ? `n${seq}` : `n${seq}-${count}`
    this.#entries.set(id, { type: 'notice', seq, at, text })
    return id
  }

  get ids(): string[] {
    return [...this.#entries.keys()]
  }

  /** Undefined if the message is no longer stored. */
  get(id: string): LiveMessage | undefined {
    const entry = this.#entries.get(id)
    if (entry === undefined) return undefined
    if (entry.type === 'message') return this.#messageOf(entry.message, entry.parts)
    const { seq, at, text } = entry
    return fitted({ id, role: 'system', time: timeOf(at), parts: [{ type: 'notice', text }], at: this.#placeOf(seq) })
  }

  /** Ignores messages that started before the tail that was read. */
  #takeMessage(message: ConversationMessage, seq: number): string[] {
    const known = this.#entries.get(message.id)
    if (known?.type === 'message') known.message = message
    else if (message.firstSeq === seq) this.#entries.set(message.id, { type: 'message', message, parts: new Map() })
    else return []
    return [message.id]
  }

  #takePart(messageId: string, part: ConversationPart): string[] {
    const entry = this.#entries.get(messageId)
    if (entry?.type !== 'message') return []
    entry.parts.set(part.id, part)
    return [messageId]
  }

  #messageOf(message: ConversationMessage, parts: ReadonlyMap<string, ConversationPart>): LiveMessage {
    const { id, role, createdAt, firstSeq, completedAt } = message
    const shown = [...parts.values()].flatMap(part => this.#partsOf(part))
    const isOpen = completedAt === undefined
    const end = endOf(message, false).map(cutPart)
    const whole = { id, role, time: timeOf(createdAt), parts: [...shown, ...end], at: this.#placeOf(firstSeq) }
    return { ...fitted(whole), ...(isOpen ? { isOpen } : {}) }
  }

  #partsOf(part: ConversationPart): ApiPart[] {
    const known = this.#shown.get(part)
    if (known !== undefined) return known
    const shown = showPart(part)
    this.#shown.set(part, shown)
    return shown
  }

  #placeOf(seq: number): RowPlace {
    return { file: this.#file, table: 'events', row: seq }
  }

  #forget(): void {
    for (const [id, entry] of this.#entries) {
      if (this.#entries.size <= MAX_LIVE_MESSAGES) return
      if (entry.type === 'notice' || entry.message.completedAt !== undefined) this.#entries.delete(id)
    }
  }
}

/** The status says that a tool is still running, instead of the text that a reading shows. */
function showPart(part: ConversationPart): ApiPart[] {
  const all = partsOf(part).map(cutPart)
  if (part.type !== 'tool' || (part.status !== 'pending' && part.status !== 'running')) return all
  const { status } = part
  return all.filter(one => one.type !== 'notice').map(one => (one.type === 'tool-call' ? { ...one, status } : one))
}
