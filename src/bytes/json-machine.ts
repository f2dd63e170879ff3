// Reads one JSON object byte by byte, in chunks of any size, and knows at every moment where in the structure it is. As strict as JSON.parse, except
// for what can be mended without a doubt: NULs between values, commas before a closing bracket, and bytes behind the end are noted and passed over.
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, SPACE } from './ascii.ts'
import type { Span } from './json.ts'
import { parseJson } from './json.ts'
import type { NumberState } from './json-scalars.ts'
import { digitsOfEscape, firstOfNumber, isHexadecimal, mayEndAfter, nextOfNumber, wordFrom } from './json-scalars.ts'

/** Told of what happens inside of at most `depth` containers. */
export interface Watcher {
  depth: number
  /** A field of the outermost object begins. */
  key?(name: string): void
  /** A container was opened: with it there are `depth`. */
  opened?(depth: number, at: number, byte: number): void
  /** A value is complete, inside of `depth` containers. */
  value?(depth: number, end: number): void
}

/** The first byte that fits nowhere, and what is wrong with it. */
export interface Fault {
  at: number
  text: string
}

type State =
  | 'value'
  | 'first'
  | 'next'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'after'
  | 'string'
  | 'number'
  | 'word'
  | 'done'

/** What is nested deeper, or has more places to be mended, was not written by any agent. */
const MAX_DEPTH = 1_000_000
const MAX_NOTES = 10_000

export class JsonMachine {
  fault: Fault | undefined
  /** Commas with a closing bracket behind them. */
  readonly commas: number[] = []
  /** NULs where white space may be. */
  readonly nuls: Span[] = []
  /** Where something stands behind the closed object. */
  rest: number | undefined
  /** Behind the last byte that was looked at. */
  offset: number
  readonly #watcher: Watcher
  readonly #stack: number[] = []
  #state: State = 'value'
  #comma = 0
  #stringStart = 0
  #isKey = false
  /** Where the escape began that is being read, and how many of its digits are missing. */
  #escape: number | undefined
  #digits: number | undefined
  #name: Buffer[] = []
  #number: NumberState = 'zero'
  #word = ''
  #wordRead = 0

  constructor(watcher: Watcher, offset = 0) {
    this.#watcher = watcher
    this.offset = offset
  }

  get isClosed(): boolean {
    return this.#state === 'done'
  }

  /** The text that the bytes end in, from its quote on; an escape that is not complete is left out. */
  get openText(): Span | undefined {
    if (this.#state !== 'string' || this.#isKey) return undefined
    return { start: this.#stringStart, end: this.#escape ?? this.offset }
  }

  /** What closes the outermost `depth` containers. */
  closers(depth: number): string {
    const open = this.#stack.slice(0, depth).reverse()
    return open.map(byte => (byte === OPEN_BRACE ? '}' : ']')).join('')
  }

  get depth(): number {
    return this.#stack.length
  }

  push(bytes: Buffer): void {
    const base = this.offset
    let at = 0
    while (at < bytes.length && this.fault === undefined && this.rest === undefined) {
      if (this.#state === 'string') at = this.#passText(bytes, at, base)
      else if (this.#takeByte(bytes[at] ?? 0, base + at)) at++
    }
    this.offset = base + at
  }

  /** The place behind the string, or the end of the bytes. */
  #passText(bytes: Buffer, from: number, base: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#escape === undefined) at = pastPlainText(bytes, at)
      const byte = bytes[at]
      if (byte === undefined) break
      if (this.#escape !== undefined) {
        if (!this.#passEscape(byte, base + at)) return at
      } else if (byte === QUOTE) {
        this.#keepName(bytes, from, at)
        this.#endString(base + at + 1)
        return at + 1
      } else if (byte === BACKSLASH) this.#escape = base + at
      else {
        this.#fail(base + at, byte === 0 ? 'NULs stand inside a text' : 'a control character stands inside a text')
        return at
      }
    }
    this.#keepName(bytes, from, bytes.length)
    return bytes.length
  }

  #passEscape(byte: number, at: number): boolean {
    if (this.#digits === undefined) {
      this.#digits = digitsOfEscape(byte)
      if (this.#digits === undefined) return this.#fail(at, 'an escape inside a text is broken')
    } else if (isHexadecimal(byte)) this.#digits--
    else return this.#fail(at, 'an escape inside a text is broken')
    if (this.#digits > 0) return true
    this.#escape = undefined
    this.#digits = undefined
    return true
  }

  #keepName(bytes: Buffer, from: number, to: number): void {
    if (this.#isKey && this.#stack.length === 1) this.#name.push(Buffer.from(bytes.subarray(from, to)))
  }

  #endString(end: number): void {
    if (!this.#isKey) {
      this.#endValue(end)
      return
    }
    this.#state = 'colon'
    if (this.#stack.length !== 1) return
    const name = parseJson(Buffer.concat([QUOTED, ...this.#name, QUOTED]))
    this.#name = []
    if (typeof name === 'string') this.#watcher.key?.(name)
  }

  /** One byte outside of strings; false where it has to be looked at once more, as it ended a number. */
  #takeByte(byte: number, at: number): boolean {
    if (this.#state === 'word') return this.#goOnWithWord(byte, at)
    if (this.#state === 'number') return this.#goOnWithNumber(byte, at)
    if (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09) return true
    if (byte === 0) return this.#noteNul(at)
    switch (this.#state) {
      case 'value':
      case 'first':
      case 'next':
        return this.#takeValue(byte, at)
      case 'first-key':
      case 'key':
        return this.#takeKey(byte, at)
      case 'colon':
        if (byte !== COLON) return this.#fail(at, 'there is no colon behind the name of a field')
        this.#state = 'value'
        return true
      case 'after':
        return this.#takeAfter(byte, at)
      default:
        this.rest = at
        return true
    }
  }

  #takeValue(byte: number, at: number): boolean {
    if (byte === CLOSE_BRACKET && this.#state !== 'value') return this.#close(byte, at)
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.#open(byte, at)
    if (this.#stack.length === 0) return this.#fail(at, 'it does not begin as an object')
    if (byte === QUOTE) return this.#beginString(at, false)
    const number = firstOfNumber(byte)
    const word = wordFrom(byte)
    if (number !== undefined) {
      this.#number = number
      this.#state = 'number'
    } else if (word !== undefined) {
      this.#word = word
      this.#wordRead = 1
      this.#state = 'word'
    } else return this.#fail(at, 'no value begins like this')
    return true
  }

  #takeKey(byte: number, at: number): boolean {
    if (byte === CLOSE_BRACE) return this.#close(byte, at)
    if (byte === QUOTE) return this.#beginString(at, true)
    return this.#fail(at, 'the name of a field was expected')
  }

  #takeAfter(byte: number, at: number): boolean {
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return this.#close(byte, at)
    if (byte !== COMMA) return this.#fail(at, 'there is no comma between two values')
    this.#comma = at
    this.#state = this.#stack.at(-1) === OPEN_BRACE ? 'key' : 'next'
    return true
  }

  #open(byte: number, at: number): boolean {
    if (this.#stack.length === 0 && byte !== OPEN_BRACE) return this.#fail(at, 'it does not begin as an object')
    if (this.#stack.length === MAX_DEPTH) return this.#fail(at, 'it is nested too deeply')
    const depth = this.#stack.push(byte)
    this.#state = byte === OPEN_BRACE ? 'first-key' : 'first'
    if (depth <= this.#watcher.depth) this.#watcher.opened?.(depth, at, byte)
    return true
  }

  #close(byte: number, at: number): boolean {
    if ((byte === CLOSE_BRACE) !== (this.#stack.at(-1) === OPEN_BRACE))
      return this.#fail(at, 'the wrong bracket closes here')
    if (this.#state === 'key' || this.#state === 'next') {
      if (this.commas.length === MAX_NOTES) return this.#fail(at, 'there are too many commas that nothing follows')
      this.commas.push(this.#comma)
    }
    this.#stack.pop()
    this.#endValue(at + 1)
    return true
  }

  #endValue(end: number): void {
    const depth = this.#stack.length
    this.#state = depth === 0 ? 'done' : 'after'
    if (depth <= this.#watcher.depth) this.#watcher.value?.(depth, end)
  }

  #beginString(at: number, isKey: boolean): boolean {
    this.#stringStart = at
    this.#isKey = isKey
    this.#state = 'string'
    return true
  }

  #goOnWithNumber(byte: number, at: number): boolean {
    const next = nextOfNumber(this.#number, byte)
    if (next !== undefined) {
      this.#number = next
      return true
    }
    if (!mayEndAfter(this.#number)) return this.#fail(at, 'a number is broken')
    this.#endValue(at)
    return false
  }

  #goOnWithWord(byte: number, at: number): boolean {
    if (byte !== this.#word.charCodeAt(this.#wordRead)) return this.#fail(at, 'no value is written like this')
    this.#wordRead++
    if (this.#wordRead === this.#word.length) this.#endValue(at + 1)
    return true
  }

  #noteNul(at: number): boolean {
    const last = this.nuls.at(-1)
    if (last?.end === at) last.end++
    else if (this.nuls.length === MAX_NOTES) return this.#fail(at, 'there are too many NULs')
    else this.nuls.push({ start: at, end: at + 1 })
    return true
  }

  #fail(at: number, text: string): false {
    this.fault = { at, text }
    return false
  }
}

const QUOTED = Buffer.from('"')

/** The next quote, backslash or control character. This loop looks at nearly every byte of a file. */
function pastPlainText(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE || byte === BACKSLASH || byte === undefined || byte < SPACE) return at
  }
  return bytes.length
}
