// Assembles whole messages from changes and returns each as soon as it is complete. Memory holds only open
// messages.
import type { JournalEvent } from '../store/store.ts'
import type { ConversationChange, ConversationMessage, ConversationPart } from './changes.ts'
import { ConversationReducer } from './reducer.ts'

export interface AssembledMessage {
  message: ConversationMessage
  /** In order of appearance. */
  parts: ConversationPart[]
  /** The message may still grow. */
  isOpen: boolean
}

interface Entry {
  message: ConversationMessage
  parts: Map<string, ConversationPart>
}

/**
 * Holds the newest message back until another starts: an agent may add to it after it ended. Additions to a
 * returned message are dropped. Where prompts overlap, messages are returned in the order in which they end.
 */
export class MessageAssembler {
  readonly #entries = new Map<string, Entry>()
  #newest: string | undefined

  push(changes: readonly ConversationChange[]): AssembledMessage[] {
    return changes.flatMap(change => {
      if (change.type === 'message') return this.#take(change.message, change.seq)
      if (change.type === 'part') this.#entries.get(change.messageId)?.parts.set(change.part.id, change.part)
      return []
    })
  }

  /** Returns the rest, open messages included. */
  finish(): AssembledMessage[] {
    return [...this.#entries.keys()].flatMap(id => this.#give(id))
  }

  #take(message: ConversationMessage, seq: number): AssembledMessage[] {
    const { id, completedAt } = message
    const entry = this.#entries.get(id)
    if (entry !== undefined) {
      entry.message = message
      return completedAt === undefined || id === this.#newest ? [] : this.#give(id)
    }
    // The message started earlier, so it was already returned.
    if (message.firstSeq !== seq) return []
    const before = this.#newest
    this.#newest = id
    this.#entries.set(id, { message, parts: new Map() })
    if (before === undefined || this.#entries.get(before)?.message.completedAt === undefined) return []
    return this.#give(before)
  }

  #give(id: string): AssembledMessage[] {
    const entry = this.#entries.get(id)
    if (entry === undefined) return []
    this.#entries.delete(id)
    const { message, parts } = entry
    return [{ message, parts: [...parts.values()], isOpen: message.completedAt === undefined }]
  }
}

/** For small sessions: all messages at once, in the order in which they started. */
export function collectMessages(events: Iterable<JournalEvent>): AssembledMessage[] {
  const reducer = new ConversationReducer()
  const assembler = new MessageAssembler()
  const messages: AssembledMessage[] = []
  for (const event of events) messages.push(...assembler.push(reducer.apply(event)))
  messages.push(...assembler.finish())
  return messages.sort((a, b) => a.message.firstSeq - b.message.firstSeq)
}
