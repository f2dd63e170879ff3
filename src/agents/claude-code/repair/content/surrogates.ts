// Halves of a surrogate pair that stand alone as an escape, such as \ud83d without its partner. This is valid
// JSON, but text that other programs refuse.
import { BACKSLASH } from '../../../../bytes/ascii.ts'
import type { Span } from '../../../../bytes/json.ts'

const LOWER_U = 0x75
const ESCAPE_BYTES = 6
/** The replacement character, as long as the escape it replaces. */
export const REPLACEMENT = Buffer.from('\\ufffd')

/** The lone halves in `span`, which must be valid JSON. */
export function findLoneSurrogates(bytes: Buffer, span: Span): Span[] {
  const found: Span[] = []
  for (let at = bytes.indexOf(BACKSLASH, span.start); at !== -1 && at < span.end; ) {
    const next = at + lengthOfEscape(bytes, at)
    const unit = unitAt(bytes, at)
    if (isHigh(unit) && isLow(unitAt(bytes, next))) at = next + ESCAPE_BYTES
    else {
      if (isHigh(unit) || isLow(unit)) found.push({ start: at, end: next })
      at = next
    }
    at = bytes.indexOf(BACKSLASH, at)
  }
  return found
}

function lengthOfEscape(bytes: Buffer, at: number): number {
  return bytes[at + 1] === LOWER_U ? ESCAPE_BYTES : 2
}

/** The code unit of an escape of this form. NaN for everything else. */
function unitAt(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LOWER_U) return Number.NaN
  return Number.parseInt(bytes.toString('latin1', at + 2, at + ESCAPE_BYTES), 16)
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
