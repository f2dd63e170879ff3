// Reads JSON as strictly as JP's parser does, in chunks of any size, keeping nothing: is it JSON, and if not, what is wrong and where.
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from '../../../bytes/ascii.ts'
import type { NumberState } from '../../../bytes/json-scalars.ts'
import { firstOfNumber, mayEndAfter, nextOfNumber, wordFrom } from '../../../bytes/json-scalars.ts'
import type { FaultKind, JsonFault, JsonScanned } from './fault.ts'
import { TextScan } from './scan-text.ts'

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

/** With this many containers open, serde_json gives up. */
const MAX_DEPTH = 128
const NEWLINE = 0x0a
/** A number with fewer characters cannot be beyond what a double holds. */
const SURELY_FINITE = 300
/** Of a longer one, the beginning is looked at. */
const LONGEST_NUMBER = 2000
/** Nobody writes this, and the memory for it has an end. */
const DEEPEST = 1_000_000
const SOFT_WORDS: Record<'utf8' | 'surrogate' | 'depth' | 'number', string> = {
  utf8: 'invalid unicode code point',
  surrogate: 'lone leading surrogate in hex escape',
  depth: 'recursion limit exceeded',
  number: 'number out of range',
}
const TEXT_WORDS = {
  control: 'control character (\\u0000-\\u001F) found while parsing a string',
  escape: 'invalid escape',
}

export interface KeyWatcher {
  /** A field of an object inside the outermost container has this name; says what is wrong with that. Long names are not told. */
  key(name: string): string | undefined
  /** Such an object begins. */
  begin(): void
}
const KEY_DEPTH = 2
const LONGEST_KEY = 32

export class JsonScan {
  #fault: JsonFault | undefined
  readonly #soft = new Map<FaultKind, JsonFault>()
  readonly #stack: number[] = []
  readonly #keys: KeyWatcher | undefined
  readonly #text: TextScan
  #state: State = 'value'
  #offset = 0
  #line = 1
  #lineStart = 0
  #isKey = false
  #key: number[] = []
  #number: NumberState = 'zero'
  #digits: number[] = []
  #word = ''
  #wordRead = 0
  #isBlank = true

  constructor(keys?: KeyWatcher) {
    this.#keys = keys
    this.#text = new TextScan({
      soft: (kind, at) => this.#noteSoft(kind, at),
      hard: (kind, at, byte) => this.#fail(at, 'syntax', TEXT_WORDS[kind], byte),
    })
  }

  /** The outermost value is complete, and nothing has been found wrong so far. */
  get isClosed(): boolean {
    return this.#state === 'done' && this.#fault === undefined
  }

  push(bytes: Buffer): void {
    const base = this.#offset
    let at = 0
    while (at < bytes.length && this.#fault === undefined) {
      if (this.#state === 'string') at = this.#passText(bytes, at, base)
      else if (this.#take(bytes[at] ?? 0, base + at)) at++
    }
    this.#offset = base + bytes.length
  }

  end(): JsonScanned {
    if (this.#fault === undefined && this.#state === 'number') this.#endNumber(this.#offset)
    if (this.#fault === undefined && this.#state !== 'done') this.#failAtEnd()
    return { fault: this.#fault, soft: [...this.#soft.values()], isBlank: this.#isBlank, size: this.#offset }
  }

  #passText(bytes: Buffer, from: number, base: number): number {
    const at = this.#text.pass(bytes, from, base)
    if (this.#isKey && this.#key.length <= LONGEST_KEY)
      for (let i = from; i < at && this.#key.length <= LONGEST_KEY; i++) this.#key.push(bytes[i] ?? 0)
    if (at >= bytes.length || this.#fault !== undefined) return at
    if (this.#isKey) this.#endKey(base + at)
    else this.#endValue()
    return at + 1
  }

  #endKey(at: number): void {
    this.#state = 'colon'
    if (this.#keys === undefined || this.#stack.length !== KEY_DEPTH || this.#key.length > LONGEST_KEY) return
    const wrong = this.#keys.key(Buffer.from(this.#key).toString('utf8'))
    if (wrong !== undefined) this.#fail(at, 'syntax', wrong)
  }

  /** One byte outside of strings; false where it has to be looked at once more, as it ended a number. */
  #take(byte: number, at: number): boolean {
    if (this.#state === 'word') return this.#goOnWithWord(byte, at)
    if (this.#state === 'number') return this.#goOnWithNumber(byte, at)
    if (byte === SPACE || byte === 0x0d || byte === 0x09) return true
    if (byte === NEWLINE) {
      this.#line++
      this.#lineStart = at + 1
      return true
    }
    this.#isBlank = false
    switch (this.#state) {
      case 'value':
      case 'first':
      case 'next':
        return this.#takeValue(byte, at)
      case 'first-key':
      case 'key':
        return this.#takeKey(byte, at)
      case 'colon':
        if (byte !== COLON) return this.#fail(at, 'syntax', 'expected `:`')
        this.#state = 'value'
        return true
      case 'after':
        return this.#takeAfter(byte, at)
      default:
        return this.#fail(at, 'syntax', 'trailing characters')
    }
  }

  #takeValue(byte: number, at: number): boolean {
    if (byte === CLOSE_BRACKET && this.#state === 'first') return this.#close()
    if (byte === CLOSE_BRACKET && this.#state === 'next') return this.#fail(at, 'syntax', 'trailing comma')
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.#open(byte, at)
    if (byte === QUOTE) return this.#beginString(false)
    const number = firstOfNumber(byte)
    const word = wordFrom(byte)
    if (number !== undefined) {
      this.#number = number
      this.#digits = [byte]
      this.#state = 'number'
    } else if (word !== undefined) {
      this.#word = word
      this.#wordRead = 1
      this.#state = 'word'
    } else return this.#fail(at, 'syntax', 'expected value')
    return true
  }

  #takeKey(byte: number, at: number): boolean {
    if (byte === QUOTE) return this.#beginString(true)
    if (byte !== CLOSE_BRACE) return this.#fail(at, 'syntax', 'key must be a string')
    return this.#state === 'key' ? this.#fail(at, 'syntax', 'trailing comma') : this.#close()
  }

  #takeAfter(byte: number, at: number): boolean {
    const isObject = this.#stack.at(-1) === OPEN_BRACE
    if (byte === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return this.#close()
    if (byte !== COMMA) return this.#fail(at, 'syntax', isObject ? 'expected `,` or `}`' : 'expected `,` or `]`')
    this.#state = isObject ? 'key' : 'next'
    return true
  }

  #open(byte: number, at: number): boolean {
    if (this.#stack.length === DEEPEST) return this.#fail(at, 'depth', SOFT_WORDS.depth)
    const depth = this.#stack.push(byte)
    this.#state = byte === OPEN_BRACE ? 'first-key' : 'first'
    if (depth === MAX_DEPTH) this.#noteSoft('depth', at)
    if (depth === KEY_DEPTH) this.#keys?.begin()
    return true
  }

  #close(): true {
    this.#stack.pop()
    this.#endValue()
    return true
  }

  #endValue(): void {
    this.#state = this.#stack.length === 0 ? 'done' : 'after'
  }

  #beginString(isKey: boolean): true {
    this.#isKey = isKey
    this.#key = []
    this.#text.begin()
    this.#state = 'string'
    return true
  }

  #goOnWithNumber(byte: number, at: number): boolean {
    const next = nextOfNumber(this.#number, byte)
    if (next === undefined) {
      const isDigit = byte >= 0x30 && byte <= 0x39
      if (isDigit || !mayEndAfter(this.#number)) return this.#fail(at, 'syntax', 'invalid number', byte)
      this.#endNumber(at)
      return false
    }
    this.#number = next
    if (this.#digits.length < LONGEST_NUMBER) this.#digits.push(byte)
    return true
  }

  #endNumber(at: number): void {
    if (!mayEndAfter(this.#number)) return
    const isLong = this.#digits.length >= SURELY_FINITE || this.#digits.some(byte => byte === 0x65 || byte === 0x45)
    if (isLong && !Number.isFinite(Number(Buffer.from(this.#digits).toString('latin1')))) this.#noteSoft('number', at)
    this.#endValue()
  }

  #goOnWithWord(byte: number, at: number): boolean {
    if (byte !== this.#word.charCodeAt(this.#wordRead)) return this.#fail(at, 'syntax', 'expected ident', byte)
    this.#wordRead++
    if (this.#wordRead === this.#word.length) this.#endValue()
    return true
  }

  #noteSoft(kind: 'utf8' | 'surrogate' | 'depth' | 'number', at: number): void {
    if (!this.#soft.has(kind)) this.#soft.set(kind, this.#faultAt(at, kind, SOFT_WORDS[kind]))
  }

  #fail(at: number, kind: FaultKind, what: string, byte?: number): false {
    const fault = this.#faultAt(at, kind, what)
    // A newline counts as the beginning of the next line.
    this.#fault = byte === NEWLINE ? { ...fault, line: fault.line + 1, column: 0 } : fault
    return false
  }

  #faultAt(at: number, kind: FaultKind, what: string): JsonFault {
    return { kind, what, line: this.#line, column: at - this.#lineStart + 1, offset: at }
  }

  /** At the end there is no byte to point at: the place is that of the last one. */
  #failAtEnd(): void {
    const column = this.#offset - this.#lineStart
    this.#fault = { kind: 'end', what: this.#endWords(), line: this.#line, column, offset: this.#offset }
  }

  #endWords(): string {
    const container = this.#stack.at(-1) === OPEN_BRACE ? 'an object' : 'a list'
    switch (this.#state) {
      case 'string':
        return 'EOF while parsing a string'
      case 'first':
      case 'first-key':
      case 'colon':
      case 'after':
        return `EOF while parsing ${container}`
      default:
        return 'EOF while parsing a value'
    }
  }
}

export function scanJson(bytes: Buffer, keys?: KeyWatcher): JsonScanned {
  const scan = new JsonScan(keys)
  scan.push(bytes)
  return scan.end()
}
