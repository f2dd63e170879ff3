// Makes messages of the events of a conversation, and collects what a reading says of them.
import { basename } from 'node:path'
import type { FilePlace, Message } from '../../../model/message.ts'
import { present } from '../../stores/values.ts'
import { EventChecks } from '../classify/classify-file.ts'
import { OLD_MESSAGES } from '../names.ts'
import type { ArrayElement } from './event-file.ts'
import { type FactNotes, modelAfter, noteMessage } from './facts.ts'
import { messageOf, messagesOfPair } from './messages.ts'

/** The type of an event that changes the config. */
export const CONFIG_DELTA = 'config_delta'

export class EventTaker {
  readonly counts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  readonly checks = new EventChecks()
  readonly notes: FactNotes
  readonly #path: string
  readonly #isOld: boolean

  /** `model` is the one that answers before the first event. */
  constructor(path: string, model: string | undefined) {
    this.#path = path
    this.#isOld = basename(path) === OLD_MESSAGES
    this.notes = present<FactNotes>({ model })
  }

  take(element: ArrayElement): Message[] {
    const { value, start, end, index } = element
    const at = { file: this.#path, start, end }
    this.counts.records++
    this.checks.take(element)
    const model = modelAfter(value, this.notes.model)
    if (model !== undefined) this.notes.model = model
    const id = String(index)
    const messages = this.#isOld ? messagesOfPair(value, id, at) : this.#messagesOfEvent(value, id, at)
    for (const message of messages) noteMessage(this.notes, message)
    if (messages.some(({ parts }) => parts.some(({ type }) => type === 'unknown'))) this.counts.unknown++
    return messages
  }

  #messagesOfEvent(value: unknown, id: string, at: FilePlace): Message[] {
    const message = messageOf(value, id, at, this.notes.model)
    if (message !== undefined) return [message]
    this.counts.bookkeeping++
    return []
  }
}
