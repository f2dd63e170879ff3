// Well-formed text. Half of a surrogate pair is not a character: a service that is sent one refuses the request,
// and every later request that repeats it.
import { isUtf8 } from 'node:buffer'

/** Escapes in the order in which they stand: a pair, a surrogate without its other half, any other. */
const ESCAPES = /\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(d[89a-f][0-9a-f]{2}))|\\[\s\S]/gi
const SURROGATE = /\\ud[89a-f]/i

/** JSON in which every lone surrogate is U+FFFD. The same text where there is none. */
export function wellFormedJson(json: string): string {
  if (!SURROGATE.test(json)) return json
  return json.replace(ESCAPES, (found, lone: string | undefined) => (lone === undefined ? found : '\\ufffd'))
}

/** The same for bytes: only what is not well-formed is replaced. The same buffer where nothing is. */
export function wellFormedBytes(json: Buffer): Buffer {
  const decodable = isUtf8(json) ? json : Buffer.from(json.toString('utf8'))
  if (!decodable.includes('\\ud') && !decodable.includes('\\uD')) return decodable
  // Each byte is one character here, so that all others come out as they were.
  const text = decodable.toString('latin1')
  const fixed = wellFormedJson(text)
  return fixed === text ? decodable : Buffer.from(fixed, 'latin1')
}
