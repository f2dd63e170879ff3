// How a text that grows is told: each piece at once to those who add pieces up, the whole now and then to those who take it as it is.
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { Part, ReasoningPart, TextPart } from '../shapes/part.ts'
import { TEXT_GROWTH, WHOLE_TEXT_CHARS } from './limits.ts'

type Growing = TextPart | ReasoningPart

export function partUpdated(part: Part, time: number, delta?: string): OpenCodeEvent {
  const { sessionID, messageID } = part
  const added = delta === undefined || delta === '' ? {} : { delta }
  return { type: 'message.part.updated', properties: { sessionID, messageID, part, time, ...added } }
}

export class Growth {
  /** How much of a text was told as a whole, by part. */
  readonly #told = new Map<string, number>()

  /** The piece goes before the whole: who adds and who replaces then have the same text. The empty part goes first, for a piece of an unknown part is dropped. */
  grow(part: Growing, delta: string, time: number): OpenCodeEvent[] {
    const known = this.#told.get(part.id)
    const told = known ?? 0
    const events: OpenCodeEvent[] = known === undefined ? [partUpdated({ ...part, text: '' }, time)] : []
    const { sessionID, messageID, id: partID } = part
    events.push({ type: 'message.part.delta', properties: { sessionID, messageID, partID, field: 'text', delta } })
    const { length } = part.text
    const isDue = length <= WHOLE_TEXT_CHARS || length - told >= length * TEXT_GROWTH
    if (isDue) events.push(partUpdated(part, time, part.text.slice(told)))
    this.#told.set(part.id, isDue ? length : told)
    return events
  }

  /** Whole from now on. */
  end(part: Part, time: number): OpenCodeEvent[] {
    const told = this.#told.get(part.id)
    this.#told.delete(part.id)
    const isText = part.type === 'text' || part.type === 'reasoning'
    return [partUpdated(part, time, told === undefined || !isText ? undefined : part.text.slice(told))]
  }
}
