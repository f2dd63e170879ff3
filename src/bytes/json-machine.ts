// Reads one JSON value byte by byte, in chunks of any size, and always knows its place in the structure. As
// strict as JSON.parse, and for objects only. A subclass may repair faults instead of stopping there.
import { BACKSLASH, OPEN_BRACE, QUOTE, SPACE } from './ascii.ts'
import type { Span } from './json.ts'
import { parseJson } from './json.ts'
import { digitsOfEscape, isHexadecimal } from './json-scalars.ts'
import type { Misfit } from './json-structure.ts'
import { JsonStructure } from './json-structure.ts'

/** Receives the events inside at most `depth` containers. */
export interface Watcher {
  depth: number
  /** A field of the outermost object starts. */
  key?(name: string): void
  /** A container was opened. There are now `depth`. */
  opened?(depth: number, at: number, byte: number): void
  /** A value inside `depth` containers is complete. */
  value?(depth: number, end: number): void
}

/** The first byte that does not fit, and why. */
export interface JsonFault {
  at: number
  text: string
}

const WORDS: Record<Misfit, string> = {
  beginning: 'it does not begin as an object',
  value: 'no value begins like this',
  key: 'the name of a field was expected',
  colon: 'there is no colon after a field name',
  comma: 'there is no comma between two values',
  bracket: 'the wrong bracket closes here',
  number: 'a number is broken',
  word: 'no value is written like this',
  depth: 'it is nested too deeply',
}

export class JsonMachine extends JsonStructure {
  fault: JsonFault | undefined
  /** The place of bytes after the closed value. */
  rest: number | undefined
  /** The place after the last byte that was read. */
  offset: number
  readonly #watcher: Watcher
  #stringStart = 0
  /** The start of the current escape, and how many of its digits are missing. */
  #escape: number | undefined
  #digits: number | undefined
  #name: Buffer[] = []

  constructor(watcher: Watcher, offset = 0) {
    super()
    this.#watcher = watcher
    this.#stringStart = offset
    this.offset = offset
  }

  get isClosed(): boolean {
    return this.state === 'done'
  }

  /** The text that the bytes end in, from its quote on, without an incomplete escape. */
  get openText(): Span | undefined {
    if (this.state !== 'string' || this.isKey) return undefined
    return { start: this.#stringStart, end: this.#escape ?? this.offset }
  }

  /** The start of the last text. Nothing before it is in doubt. */
  get lastText(): number {
    return this.#stringStart
  }

  /** The brackets that close the outermost `depth` containers. */
  closers(depth: number): string {
    const open = this.stack.slice(0, depth).reverse()
    return open.map(byte => (byte === OPEN_BRACE ? '}' : ']')).join('')
  }

  get depth(): number {
    return this.stack.length
  }

  push(bytes: Buffer): void {
    const base = this.offset
    const words = wordsOf(bytes)
    let at = 0
    while (at < bytes.length && !this.isOver()) {
      if (this.state === 'string') at = this.#passText(bytes, words, at, base)
      else if (bytes[at] === SPACE && this.state !== 'number' && this.state !== 'word') at = pastSpaces(bytes, at)
      else if (this.take(bytes[at] ?? 0, base + at) || this.isPassedOver()) at++
    }
    this.offset = base + at
  }

  /** Whether no more bytes are wanted. */
  protected isOver(): boolean {
    return this.fault !== undefined || this.rest !== undefined
  }

  /** Whether a byte that does not fit is left out of the value instead of being examined again. */
  protected isPassedOver(): boolean {
    return false
  }

  /**
   * A control character inside a text. False if that ends the reading. If it ended the text, the same byte is
   * read again outside.
   */
  protected badCharacter(at: number, byte: number, _before: number): boolean {
    return this.fail(at, byte === 0 ? 'NULs inside a text' : 'a control character inside a text')
  }

  /**
   * A backslash at `start` that is not an escape. False if that ends the reading. Otherwise it is taken
   * literally.
   */
  protected badEscape(_start: number, at: number): boolean {
    return this.fail(at, 'an escape inside a text is broken')
  }

  /** The place after the string, or the end of the bytes. */
  #passText(bytes: Buffer, words: Int32Array, from: number, base: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#escape === undefined) at = pastPlainText(bytes, words, at)
      const byte = bytes[at]
      if (byte === undefined) break
      if (this.#escape !== undefined) {
        const taken = this.#passEscape(byte, base + at)
        if (taken === undefined) return at
        // A byte that does not belong to the escape is a byte of the text.
        if (!taken) at--
      } else if (byte === QUOTE) {
        this.#keepName(bytes, from, at)
        this.endString(base + at + 1)
        return at + 1
      } else if (byte === BACKSLASH) {
        // Most escapes are one more byte.
        if (digitsOfEscape(bytes[at + 1] ?? 0) === 0) at++
        else this.#escape = base + at
      } else if (!this.badCharacter(base + at, byte, bytes[at - 1] ?? 0) || this.state !== 'string') return at
    }
    this.#keepName(bytes, from, bytes.length)
    return bytes.length
  }

  /** Whether the byte belongs to the escape. Undefined if reading has ended. */
  #passEscape(byte: number, at: number): boolean | undefined {
    const digits =
      this.#digits === undefined ? digitsOfEscape(byte) : isHexadecimal(byte) ? this.#digits - 1 : undefined
    if (digits !== undefined && digits > 0) {
      this.#digits = digits
      return true
    }
    const start = this.#escape ?? at
    this.#digits = undefined
    if (digits === undefined && !this.badEscape(start, at)) return undefined
    this.#escape = undefined
    return digits !== undefined
  }

  #keepName(bytes: Buffer, from: number, to: number): void {
    if (this.isKey && this.stack.length === 1) this.#name.push(Buffer.from(bytes.subarray(from, to)))
  }

  protected endString(end: number): void {
    if (!this.isKey) {
      this.endValue(end)
      return
    }
    this.state = 'colon'
    if (this.stack.length !== 1) return
    const name = parseJson(Buffer.concat([QUOTED, ...this.#name, QUOTED]))
    this.#name = []
    if (typeof name === 'string') this.#watcher.key?.(name)
  }

  protected override mayBegin(byte: number): boolean {
    return byte === OPEN_BRACE
  }

  protected override closeAfterComma(at: number): boolean {
    return this.fail(at, 'a comma before a closing bracket')
  }

  protected override afterEnd(at: number): boolean {
    this.rest = at
    return true
  }

  protected override opened(depth: number, at: number, byte: number): void {
    if (depth <= this.#watcher.depth) this.#watcher.opened?.(depth, at, byte)
  }

  protected override beginText(at: number): void {
    this.#stringStart = at
  }

  protected override valueEnded(depth: number, end: number): void {
    if (depth <= this.#watcher.depth) this.#watcher.value?.(depth, end)
  }

  protected override misfit(kind: Misfit, at: number, _byte: number): false {
    return this.fail(at, WORDS[kind])
  }

  protected fail(at: number, text: string): false {
    this.fault = { at, text }
    return false
  }
}

const QUOTED = Buffer.from('"')

function pastSpaces(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] === SPACE) at++
  return at
}

/** The bytes, four in each word. None if their memory is not aligned. */
function wordsOf(bytes: Buffer): Int32Array {
  const isAligned = bytes.byteOffset % 4 === 0
  return isAligned ? new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2) : new Int32Array(0)
}

/** The next quote, backslash or control character. This loop handles nearly every byte of a file. */
function pastPlainText(bytes: Buffer, words: Int32Array, from: number): number {
  let at = from
  while (at < bytes.length) {
    if (at % 4 === 0) at = pastPlainWords(words, at >> 2) << 2
    const end = Math.min(at + 4 - (at % 4), bytes.length)
    for (; at < end; at++) {
      const byte = bytes[at]
      if (byte === QUOTE || byte === BACKSLASH || byte === undefined || byte < SPACE) return at
    }
  }
  return bytes.length
}

const QUOTES = 0x22222222
const BACKSLASHES = 0x5c5c5c5c
const SPACES = 0x20202020
const ONES = 0x01010101
const HIGHEST_BITS = 0x80808080

/** The next word that may hold such a byte. Subtracting sets the highest bit of every byte that is too small. */
function pastPlainWords(words: Int32Array, from: number): number {
  let at = from
  for (; at < words.length; at++) {
    const word = words[at] ?? 0
    const quote = word ^ QUOTES
    const backslash = word ^ BACKSLASHES
    const small = ((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | ((word - SPACES) & ~word)
    if ((small & HIGHEST_BITS) !== 0) return at
  }
  return at
}
