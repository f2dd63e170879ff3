// JSON as bytes: where a string or a container starts and ends, and the value of a span.
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts'
import { skipSpaces, skipSpacesBack } from './text.ts'

/** Undefined means "not JSON": it is never a parsed value. */
export function parseJson(bytes: Buffer): unknown {
  // Without an argument, this takes the shortest way.
  return parseText(bytes.toString())
}

/** The same for text. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * The object in these bytes, or undefined. Checks both ends first: the error of JSON.parse costs more than
 * everything else about a short broken line.
 */
export function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  if (bytes[skipSpaces(bytes, 0)] !== OPEN_BRACE || bytes[skipSpacesBack(bytes, bytes.length) - 1] !== CLOSE_BRACE)
    return undefined
  const value = parseJson(bytes)
  return isObject(value) ? value : undefined
}

/** The same for the bytes between two places, without a view of them. */
export function parseObjectIn(bytes: Buffer, start: number, end: number): Record<string, unknown> | undefined {
  if (bytes[start] !== OPEN_BRACE || bytes[end - 1] !== CLOSE_BRACE) return parseObject(bytes.subarray(start, end))
  const value = parseText(bytes.toString(undefined, start, end))
  return isObject(value) ? value : undefined
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The place after the string that opens at `at`, or -1 if it does not end. */
export function endOfString(bytes: Buffer, at: number): number {
  let from = at + 1
  for (;;) {
    const quote = bytes.indexOf(QUOTE, from)
    if (quote === -1) return -1
    if (slashesBefore(bytes, quote, at + 1) % 2 === 0) return quote + 1
    from = quote + 1
  }
}

/** The place after the object or array that opens at `at`, or -1 if it does not end. */
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

/**
 * The start of the object or array that ends right before `end`, at or after `from`, or -1. Exact for valid
 * JSON, whatever precedes it: walking back, a quote delimits a string unless an odd number of backslashes
 * precedes it.
 */
export function startOfContainer(bytes: Buffer, end: number, from: number): number {
  let depth = 0
  for (let i = end - 1; i >= from; i--) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i = startOfString(bytes, i, from)
      if (i === -1) return -1
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth++
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth--
      if (depth === 0) return i
    }
  }
  return -1
}

/** The opening quote of the string that closes at `quote`. */
function startOfString(bytes: Buffer, quote: number, from: number): number {
  for (let at = quote; at > from; ) {
    at = bytes.lastIndexOf(QUOTE, at - 1)
    if (at < from) return -1
    if (slashesBefore(bytes, at, from) % 2 === 0) return at
  }
  return -1
}

function slashesBefore(bytes: Buffer, at: number, from: number): number {
  let slashes = 0
  while (at - 1 - slashes >= from && bytes[at - 1 - slashes] === BACKSLASH) slashes++
  return slashes
}

export interface Span {
  start: number
  end: number
}

/** The text of a string span. Undefined for anything else. */
export function plainString(bytes: Buffer, span: Span | undefined): string | undefined {
  if (span === undefined || bytes[span.start] !== QUOTE) return undefined
  const inner = bytes.subarray(span.start + 1, span.end - 1)
  if (inner.indexOf(BACKSLASH) !== -1) {
    const value = parseJson(bytes.subarray(span.start, span.end))
    return typeof value === 'string' ? value : undefined
  }
  return inner.toString('utf8')
}

/** Deep enough for all readable data. */
const MAX_DEPTH = 100

/**
 * JSON for any value of JSON.parse. Parsing has no depth limit but serialising has, so deeper nesting is cut
 * off.
 */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return JSON.stringify(cutDepth(value, MAX_DEPTH))
    throw error
  }
}

function cutDepth(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '(nested too deeply to be shown)'
  if (Array.isArray(value)) return value.map(item => cutDepth(item, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutDepth(item, depth - 1)]))
}
