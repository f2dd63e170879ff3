// Reads one JSON document as a stream: its small fields, and the elements of its one long array, up to the
// end of the bytes or the first fault.
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts'
import { parseJson } from './json.ts'

export type DocumentItem =
  | { type: 'field'; key: string; value: unknown; start: number; end: number }
  | { type: 'element'; value: unknown; start: number; end: number }
  /** A delimited field or element that is not JSON, or bytes after the closed document. */
  | { type: 'junk'; start: number; end: number }

export interface DocumentEnd {
  /** Whether the document was closed. */
  complete: boolean
  /** The place after the last complete field or element. */
  parsedUpTo: number
  /** Whether the bytes start as a JSON object at all. */
  isDocument: boolean
  /** Whether the list of elements is there, if only empty. */
  hasElements: boolean
}

export interface DocumentShape {
  /** The top-level array whose elements are given one by one. */
  elements: string
  /** The other wanted top-level fields. The rest is skipped and not stored. */
  fields: readonly string[]
  /** Parses an element instead of JSON.parse. Undefined means "not JSON". */
  parse?: (bytes: Buffer) => unknown
}

/** A longer value is skipped as junk, so that memory stays bounded. */
export const MAX_VALUE_BYTES = 256 * 1024 * 1024

export function* readDocument(
  chunks: Iterable<Buffer>,
  shape: DocumentShape,
): Generator<DocumentItem, DocumentEnd, void> {
  const source = new Source(chunks)
  const end: DocumentEnd = { complete: false, parsedUpTo: 0, isDocument: false, hasElements: false }
  if (source.peek() === 0xef) for (let i = 0; i < 3; i++) source.step()
  if (source.skipSpaces() !== OPEN_BRACE) return end
  end.isDocument = true
  source.step()
  for (;;) {
    const byte = source.skipSpaces()
    if (byte === CLOSE_BRACE) {
      end.complete = true
      source.step()
      yield* readRest(source)
      return end
    }
    if (byte === COMMA) {
      source.step()
      continue
    }
    if (byte !== QUOTE) return end
    const key = readKey(source)
    if (key === undefined || source.skipSpaces() !== COLON) return end
    source.step()
    if (source.skipSpaces() === OPEN_BRACKET && key === shape.elements) {
      end.hasElements = true
      if (!(yield* readElements(source, end, shape.parse ?? parseJson))) return end
      continue
    }
    const wanted = shape.fields.includes(key)
    const value = source.value(wanted)
    if (value === undefined) return end
    end.parsedUpTo = value.end
    if (!wanted) continue
    const parsed = parseJson(value.bytes)
    if (parsed === undefined) yield { type: 'junk', start: value.start, end: value.end }
    else yield { type: 'field', key, value: parsed, start: value.start, end: value.end }
  }
}

/** Returns whether the array was closed. */
function* readElements(
  source: Source,
  end: DocumentEnd,
  parse: (bytes: Buffer) => unknown,
): Generator<DocumentItem, boolean, void> {
  source.step()
  for (;;) {
    const byte = source.skipSpaces()
    if (byte === undefined) return false
    if (byte === CLOSE_BRACKET) {
      source.step()
      return true
    }
    if (byte === COMMA) {
      source.step()
      continue
    }
    const value = source.value(true)
    if (value === undefined || value.start === value.end) return false
    const parsed = parse(value.bytes)
    if (parsed === undefined) yield { type: 'junk', start: value.start, end: value.end }
    else {
      end.parsedUpTo = value.end
      yield { type: 'element', value: parsed, start: value.start, end: value.end }
    }
  }
}

/** A shorter document written over a longer one leaves the end of the longer one. */
function* readRest(source: Source): Generator<DocumentItem, void, void> {
  if (source.skipSpaces() === undefined) return
  const start = source.offset
  source.skipAll()
  yield { type: 'junk', start, end: source.offset }
}

function readKey(source: Source): string | undefined {
  const span = source.value(true)
  const key = span === undefined ? undefined : parseJson(span.bytes)
  return typeof key === 'string' ? key : undefined
}

/**
 * The place of the quote that ends the text at `from`. Without one, the place where the text goes on: an escape may
 * reach beyond the bytes.
 */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = from; ; ) {
    const quote = bytes.indexOf(QUOTE, at)
    const end = quote === -1 ? bytes.length : quote
    let slashes = 0
    while (end - slashes > at && bytes[end - slashes - 1] === BACKSLASH) slashes++
    const isEscaped = slashes % 2 === 1
    if (quote === -1) return isEscaped ? end + 1 : end
    if (!isEscaped) return quote
    at = quote + 1
  }
}

/** A NUL, as a crash leaves it, counts as white space. */
function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0
}

/** A number or a word ends at the next comma or bracket, perhaps with white space between. */
function trimEndSpaces(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && isSpace(bytes[end - 1])) end--
  return bytes.subarray(0, end)
}

interface Value {
  bytes: Buffer
  start: number
  end: number
}

/** The bytes still needed, and the position in them. */
class Source {
  readonly #chunks: Iterator<Buffer>
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0
  #at = 0
  /** The file offset of the first byte held. */
  #base = 0

  constructor(chunks: Iterable<Buffer>) {
    this.#chunks = chunks[Symbol.iterator]()
  }

  peek(): number | undefined {
    while (this.#at >= this.#length) if (!this.#more(this.#at)) return undefined
    return this.#bytes[this.#at]
  }

  get offset(): number {
    return this.#base + this.#at
  }

  step(): void {
    this.#at++
  }

  /** The next byte that is not white space. */
  skipSpaces(): number | undefined {
    for (;;) {
      const byte = this.peek()
      if (byte === undefined || !isSpace(byte)) return byte
      this.#at++
    }
  }

  skipAll(): void {
    do this.#at = this.#length
    while (this.#more(this.#at))
  }

  /**
   * Skips one value. Undefined if the bytes end inside it. Its bytes are empty unless `keep`, or if it is
   * over the limit.
   */
  value(keep: boolean): Value | undefined {
    const start = this.#base + this.#at
    if (!this.#skipValue(keep)) return undefined
    const end = this.#base + this.#at
    if (!keep || end - start > MAX_VALUE_BYTES) return { bytes: Buffer.alloc(0), start, end }
    const bytes = trimEndSpaces(this.#bytes.subarray(start - this.#base, this.#at))
    return { bytes, start, end: start + bytes.length }
  }

  /** Moves past the value at the position. False if the bytes end first. */
  #skipValue(keep: boolean): boolean {
    const start = this.#base + this.#at
    let depth = 0
    let inString = false
    for (;;) {
      // Local variables, because this loop handles every byte of the file.
      const length = this.#length
      const bytes = this.#bytes.subarray(0, length)
      let at = this.#at
      for (; at < length; at++) {
        if (inString) {
          const end = endOfText(bytes, at)
          inString = end >= length
          at = inString ? end - 1 : end
          if (!inString && depth === 0) return this.#stop(at + 1)
          continue
        }
        const byte = bytes[at]
        if (byte === QUOTE) inString = true
        else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
          if (depth === 0) return this.#stop(at)
          depth--
          if (depth === 0) return this.#stop(at + 1)
        } else if (byte === COMMA && depth === 0) return this.#stop(at)
      }
      this.#at = at
      const tooLong = this.#base + at - start > MAX_VALUE_BYTES
      if (!this.#more(keep && !tooLong ? start - this.#base : at)) return false
    }
  }

  #stop(at: number): true {
    this.#at = at
    return true
  }

  /** Appends the next chunk and keeps the held bytes from index `from` on. False at the end of the bytes. */
  #more(from: number): boolean {
    const next = this.#chunks.next()
    if (next.done || next.value === undefined) return false
    const keepFrom = Math.min(from, this.#length)
    const kept = this.#length - keepFrom
    const needed = kept + next.value.length
    // Doubles the buffer, so that an element of many megabytes is not copied for each chunk.
    const target =
      needed > this.#bytes.length ? Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2)) : this.#bytes
    this.#bytes.copy(target, 0, keepFrom, this.#length)
    next.value.copy(target, kept)
    this.#bytes = target
    this.#length = needed
    this.#base += keepFrom
    this.#at -= keepFrom
    return true
  }
}
