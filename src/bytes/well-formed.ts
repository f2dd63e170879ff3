// Well-formed text. Half of a surrogate pair is not a character: a service refuses a request that contains
// one, and every later request that repeats it.
import { isUtf8 } from 'node:buffer'

/** Escapes in their order: a pair, a lone surrogate, any other. */
const ESCAPES = /\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(d[89a-f][0-9a-f]{2}))|\\[\s\S]/gi
const SURROGATE = /\\ud[89a-f]/i

/** JSON with U+FFFD for every lone surrogate. The same text if there is none. */
export function wellFormedJson(json: string): string {
  if (!SURROGATE.test(json)) return json
  return json.replace(ESCAPES, (found, lone: string | undefined) => (lone === undefined ? found : '\\ufffd'))
}

/**
 * The same for bytes: replaces only what is not well-formed. The same buffer if there is nothing to replace.
 */
export function wellFormedBytes(json: Buffer): Buffer {
  const decodable = isUtf8(json) ? json : Buffer.from(json.toString('utf8'))
  if (!decodable.includes('\\ud') && !decodable.includes('\\uD')) return decodable
  // Each byte is one character here, so that all others stay unchanged.
  const text = decodable.toString('latin1')
  const fixed = wellFormedJson(text)
  return fixed === text ? decodable : Buffer.from(fixed, 'latin1')
}
