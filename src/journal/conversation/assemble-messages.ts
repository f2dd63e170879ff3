// Whole messages out of changes, each given as soon as it is complete, so that a session of any length takes the memory of its open messages.
import type { JournalEvent } from '../store/store.ts'
import type { Change, ConversationMessage, ConversationPart } from './changes.ts'
import { ConversationReducer } from './reducer.ts'

export interface AssembledMessage {
  message: ConversationMessage
  /** In the order in which they appeared. */
  parts: ConversationPart[]
  /** It may still grow. */
  isOpen: boolean
}

interface Entry {
  message: ConversationMessage
  parts: Map<string, ConversationPart>
}

/**
 * The newest message is held back until another begins: an agent may add to it after it ended. What is added to one that was given is left out. Where
 * prompts overlap, messages are given in the order in which they end.
 */
export class MessageAssembler {
  readonly #entries = new Map<string, Entry>()
  #newest: string | undefined

  push(changes: readonly Change[]): AssembledMessage[] {
    return changes.flatMap(change => {
      if (change.type === 'message') return this.#take(change.message, change.seq)
      if (change.type === 'part') this.#entries.get(change.messageId)?.parts.set(change.part.id, change.part)
      return []
    })
  }

  /** The rest, those that are open too. */
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
    // It began earlier, so it was given.
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

/** For what is small: all at once, in the order in which they began. */
export function collectMessages(events: Iterable<JournalEvent>): AssembledMessage[] {
  const reducer = new ConversationReducer()
  const assembler = new MessageAssembler()
  const messages: AssembledMessage[] = []
  for (const event of events) messages.push(...assembler.push(reducer.apply(event)))
  messages.push(...assembler.finish())
  return messages.sort((a, b) => a.message.firstSeq - b.message.firstSeq)
}
