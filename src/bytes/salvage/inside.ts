// What may stand inside a message and looks like a document: it is recognised by what surrounds it, and by the
// messages that both hold.
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA } from '../ascii.ts'
import type { Tools } from './fields.ts'
import type { Segment } from './segment.ts'
import { endOfValue, isBroken, parseValue, readValue } from './value.ts'
import type { ByteWindow } from './window.ts'
import { BLANKS, WINDOW_BYTES } from './window.ts'

/** Half of a document that ends inside a message. */
export interface Half {
  /** The start of the unfinished message. */
  place: number
  /** The identities of the messages before it. */
  ids: readonly string[]
}

/** Whether the document behind half of one is a copy of it, and not something that the message speaks of. */
export function isCopyBehind(tools: Tools, { place, ids }: Half, copy: Segment): boolean {
  const { window, finder } = tools
  const own = idOfBroken(tools, place)
  const known = own === undefined ? ids : [...ids, own]
  if (known.length > 0) {
    const wanted = new Set(known)
    return copy.starts.some((_, number) => wanted.has(finder.idOf(copy.element(number))))
  }
  const [first] = copy.starts
  const begin = window.range(place, copy.start)
  return first !== undefined && window.range(first, first + begin.length).equals(begin)
}

/** The id of a broken message, if it is in one of its whole fields. */
function idOfBroken({ window, structure, finder }: Tools, start: number): string | undefined {
  const fields = new Map<string, unknown>()
  for (let place = window.skip(start + 1, BLANKS); ; place = window.skip(place + 1, BLANKS)) {
    const name = finder.readName(place)
    const value = name === undefined ? undefined : readValue(window, window.skip(name.end, BLANKS))
    if (name === undefined || value === undefined || isBroken(value)) break
    fields.set(name.name, parseValue(window, value))
    place = window.skip(value.end, BLANKS)
    if (window.at(place) !== COMMA) break
  }
  return structure.idOf?.(Object.fromEntries(fields))
}

/** The brackets around a value in a message are at least its own, that of the list, and that of the document. */
const LEAST_AROUND = 3

/**
 * The end of the object at the start of the bytes, if it is inside a message. Behind a whole document may be the
 * rest of an older one, which ends as the document does or repeats its messages.
 */
export function endOfHeldObject(tools: Tools, segment: Segment): number | undefined {
  const { window } = tools
  const end = segment.open === undefined ? undefined : endOfValue(window, segment.open.start)?.end
  if (end === undefined || !CONTINUES.has(window.at(window.skip(end, BLANKS)) ?? 0)) return undefined
  return isInsideMessage(tools, segment, end) && !endsAlike(window, segment.start, end) ? end : undefined
}

const CONTINUES: ReadonlySet<number> = new Set([COMMA, CLOSE_BRACE, CLOSE_BRACKET])

/** Whether the bytes after a value close a message around it: another message follows, or the document ends. */
function isInsideMessage({ window, finder }: Tools, segment: Segment, end: number): boolean {
  let closed = 0
  for (let place = window.skip(end, BLANKS); ; place = window.skip(place, BLANKS)) {
    const byte = window.at(place)
    if (byte === undefined) return closed >= LEAST_AROUND
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      closed++
      place++
      continue
    }
    if (byte !== COMMA) return false
    const begin = window.skip(place + 1, BLANKS)
    const name = finder.readName(begin)
    const value = readValue(window, name === undefined ? begin : window.skip(name.end, BLANKS))
    if (isBroken(value)) return value.isUnfinished
    if (name === undefined && closed > 0 && finder.isMessage(value)) {
      const id = finder.idOf(value)
      return segment.starts.every((start, number) => start >= end || finder.idOf(segment.element(number)) !== id)
    }
    place = value.end
  }
}

/** Whether the rest of the bytes is the end of a second copy of the same document. */
function endsAlike(window: ByteWindow, start: number, end: number): boolean {
  const length = window.size - end
  if (length > end - start) return false
  for (let at = 0; at < length; at += WINDOW_BYTES) {
    const to = Math.min(length, at + WINDOW_BYTES)
    if (!window.range(end + at, end + to).equals(window.range(end - length + at, end - length + to))) return false
  }
  return true
}
