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
    let at = 0
    while (at < bytes.length && !this.isOver()) {
      if (this.state === 'string') at = this.#passText(bytes, at, base)
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
  #passText(bytes: Buffer, from: number, base: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#escape === undefined) at = pastPlainText(bytes, at)
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
      } else if (byte === BACKSLASH) this.#escape = base + at
      else if (!this.badCharacter(base + at, byte, bytes[at - 1] ?? 0) || this.state !== 'string') return at
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

/** What a byte is inside a text: by itself, and after a backslash. */
const [PLAIN, SIMPLE_ESCAPE] = [1, 2]
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const isPlain = byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH
  return (isPlain ? PLAIN : 0) | (digitsOfEscape(byte) === 0 ? SIMPLE_ESCAPE : 0)
})

/**
 * The next byte that is not plain text: a quote, a control character, or a backslash that is not the usual escape of
 * one byte. This loop handles nearly every byte of a file.
 */
function pastPlainText(bytes: Buffer, from: number): number {
  const { length } = bytes
  for (let at = from; at < length; at++) {
    const byte = bytes[at] ?? 0
    if (((KINDS[byte] ?? 0) & PLAIN) !== 0) continue
    if (byte !== BACKSLASH || ((KINDS[bytes[at + 1] ?? 0] ?? 0) & SIMPLE_ESCAPE) === 0) return at
    at++
  }
  return length
}
