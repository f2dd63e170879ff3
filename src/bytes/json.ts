// JSON at the level of bytes: where a value ends, and where the fields of one record are, without building it.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** `undefined` never is a parsed value, so it can say "this is no JSON". */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The place behind the string that opens at `at`, or -1 where it does not end. */
export function endOfString(bytes: Buffer, at: number): number {
  let from = at + 1
  for (;;) {
    const quote = bytes.indexOf(QUOTE, from)
    if (quote === -1) return -1
    let slashes = 0
    while (bytes[quote - 1 - slashes] === BACKSLASH && quote - 1 - slashes > at) slashes++
    if (slashes % 2 === 0) return quote + 1
    from = quote + 1
  }
}

/** The place behind the object or array that opens at `at`, or -1 where it does not end. */
export function endOfContainer(bytes: Buffer, at: number): number {
  let depth = 0
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      const end = endOfString(bytes, i)
      if (end === -1) return -1
      i = end - 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return -1
}

export interface Span {
  start: number
  end: number
}

/**
 * The spans of the values of some top-level fields of one record; of a field that stands twice, the last, as JSON.parse has it.
 * Only as exact as the record is valid: who relies on a value parses the record as well.
 */
export function fieldSpans(bytes: Buffer, names: readonly Buffer[]): (Span | undefined)[] {
  const spans: (Span | undefined)[] = names.map(() => undefined)
  let i = bytes.indexOf(OPEN_BRACE)
  if (i === -1) return spans
  i++
  while (i < bytes.length) {
    const byte = bytes[i]
    if (byte !== QUOTE) {
      if (byte === CLOSE_BRACE) return spans
      i++
      continue
    }
    const keyEnd = endOfString(bytes, i)
    if (keyEnd === -1) return spans
    const key = i + 1
    let value = keyEnd
    while (value < bytes.length && (bytes[value] === COLON || (bytes[value] ?? 0) <= 0x20)) value++
    const end = endOfValue(bytes, value)
    if (end === -1) return spans
    const index = names.findIndex(
      name => name.length === keyEnd - 1 - key && name.compare(bytes, key, keyEnd - 1) === 0,
    )
    if (index !== -1) spans[index] = { start: value, end }
    i = end
  }
  return spans
}

/** The place behind the value that begins at `at`, or -1 where it does not end. */
export function endOfValue(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === QUOTE) return endOfString(bytes, at)
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return endOfContainer(bytes, at)
  let i = at
  while (i < bytes.length && bytes[i] !== COMMA && bytes[i] !== CLOSE_BRACE && bytes[i] !== CLOSE_BRACKET) i++
  return i === bytes.length ? -1 : i
}

/** The text of a string span without escapes in it; anything else gives undefined. */
export function plainString(bytes: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined || bytes[span.start] !== QUOTE) return undefined
  const inner = bytes.subarray(span.start + 1, span.end - 1)
  if (inner.indexOf(BACKSLASH) !== -1) {
    const value = parseJson(bytes.subarray(span.start, span.end))
    return typeof value === 'string' ? value : undefined
  }
  return inner.toString('utf8')
}

/** How to begin looking for a record inside a torn one. */
export const RECORD_OPENING = Buffer.from('{"')
