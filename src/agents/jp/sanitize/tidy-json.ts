// What stands in JSON only by mistake and can go without a doubt: a byte order mark, NULs, comments, commas before a closing bracket.
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, QUOTE } from '../../../bytes/ascii.ts'
import type { Span } from '../../../bytes/json.ts'
import { startsWithByteOrderMark } from '../../../bytes/text.ts'

export interface Untidy extends Span {
  what: 'mark' | 'nul' | 'comment' | 'comma'
}

const MARK_BYTES = 3
const SLASH = 0x2f
const STAR = 0x2a
const NEWLINE = 0x0a

/** In order, none overlapping another. Nothing inside of a string is among them. */
export function findUntidy(bytes: Buffer): Untidy[] {
  const found: Untidy[] = []
  let at = 0
  let comma: number | undefined
  if (startsWithByteOrderMark(bytes)) {
    found.push({ what: 'mark', start: 0, end: MARK_BYTES })
    at = MARK_BYTES
  }
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    const comment = byte === SLASH ? endOfComment(bytes, at) : undefined
    if (byte === 0) {
      const end = endOfNuls(bytes, at)
      found.push({ what: 'nul', start: at, end })
      at = end
    } else if (comment !== undefined) {
      found.push({ what: 'comment', start: at, end: comment })
      at = comment
    } else if (isSpace(byte)) at++
    else {
      if (comma !== undefined && (byte === CLOSE_BRACKET || byte === CLOSE_BRACE))
        found.push({ what: 'comma', start: comma, end: comma + 1 })
      comma = byte === COMMA ? at : undefined
      at = byte === QUOTE ? pastString(bytes, at) : at + 1
    }
  }
  return found.sort((a, b) => a.start - b.start)
}

/** The same bytes with spaces in their place, so that every offset stays true. */
export function blank(bytes: Buffer, spans: readonly Span[]): Buffer {
  if (spans.length === 0) return bytes
  const copy = Buffer.from(bytes)
  for (const { start, end } of spans) copy.fill(' ', start, end)
  return copy
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
}

function endOfNuls(bytes: Buffer, from: number): number {
  let end = from
  while (bytes[end] === 0) end++
  return end
}

/** Undefined where none begins here. The newline behind a comment is no part of it. */
function endOfComment(bytes: Buffer, at: number): number | undefined {
  if (bytes[at + 1] === SLASH) {
    const end = bytes.indexOf(NEWLINE, at)
    return end === -1 ? bytes.length : end
  }
  if (bytes[at + 1] !== STAR) return undefined
  const end = bytes.indexOf('*/', at + 2)
  return end === -1 ? bytes.length : end + 2
}

/** Behind the closing quote, or at the end. */
function pastString(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) return at + 1
  }
  return bytes.length
}
