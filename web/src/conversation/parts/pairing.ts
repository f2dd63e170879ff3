// Matches tool results with their calls over all loaded messages. A result is shown in the card of its call.
import type { ApiMessage, ApiPart } from '../../../../src/server/protocol.ts'

export type ResultPart = Extract<ApiPart, { type: 'tool-result' }>

export interface FoundResult {
  part: ResultPart
  /** The index of the message that contains the result. */
  message: number
  number: number
  time: string | null
}

export interface Pairs {
  /** By the `index:part` of the call. */
  readonly results: ReadonlyMap<string, FoundResult>
  /** The `index:part` of results that are shown with their call. */
  readonly placed: ReadonlySet<string>
}

export function keyOfPart(message: number, part: number): string {
  return `${message}:${part}`
}

/** Some agents reuse ids. A result belongs to the oldest call before it that has none. */
export function pairTools(messages: readonly ApiMessage[]): Pairs {
  const results = new Map<string, FoundResult>()
  const placed = new Set<string>()
  const waiting = new Map<string, string[]>()
  for (const { index, parts, time } of messages)
    for (const [number, part] of parts.entries()) {
      const key = keyOfPart(index, number)
      if (part.type === 'tool-call' && part.id !== '') waiting.set(part.id, [...(waiting.get(part.id) ?? []), key])
      if (part.type !== 'tool-result') continue
      const call = waiting.get(part.id)?.shift()
      if (call === undefined) continue
      results.set(call, { part, message: index, number, time })
      placed.add(key)
    }
  return { results, placed }
}

/** Whether all its results are shown with their calls. */
export function isShownWithCall(message: ApiMessage, pairs: Pairs): boolean {
  return message.parts.length > 0 && message.parts.every((_, part) => pairs.placed.has(keyOfPart(message.index, part)))
}
