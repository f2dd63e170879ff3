// Parses JSON as strictly as JP's parser (serde_json), in chunks of any size and without storing values.
// Reports whether the bytes are JSON, and otherwise the error and its position.
import { BACKSLASH, OPEN_BRACE } from '../../../bytes/ascii.ts'
import { parseJson } from '../../../bytes/json.ts'
import type { Misfit } from '../../../bytes/json-structure.ts'
import { JsonStructure } from '../../../bytes/json-structure.ts'
import { TextScan } from './scan-text.ts'
import type { FaultKind, JsonProblem, JsonScanned } from './state.ts'

/** The recursion limit of serde_json. */
const MAX_DEPTH = 128
const NEWLINE = 0x0a
const QUOTES = Buffer.from('"')
/** A number with fewer characters fits into a double. */
const SURELY_FINITE = 300
/** Longer numbers are judged by this many characters. */
const LONGEST_NUMBER = 2000
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
  /**
   * Called for each key of an object inside the outermost container. Returns an error or undefined. Long keys
   * are skipped.
   */
  key(name: string): string | undefined
  /** Called at the start of such an object. */
  begin(): void
}
/** With a watcher, keys down to this depth are parsed. Everything deeper is only skipped. */
const KEY_DEPTH = 2
/** In bytes as stored, where each character may be an escape of six. */
const LONGEST_KEY = 64

export class JsonScan extends JsonStructure {
  #fault: JsonProblem | undefined
  readonly #soft = new Map<FaultKind, JsonProblem>()
  readonly #keys: KeyWatcher | undefined
  readonly #text: TextScan
  #offset = 0
  #line = 1
  #lineStart = 0
  #key: number[] = []
  #digits: number[] = []
  #isBlank = true
  #badName: 'utf8' | 'surrogate' | undefined

  constructor(keys?: KeyWatcher) {
    super()
    this.#keys = keys
    this.#text = new TextScan({
      soft: (kind, at) => this.#noteSoft(kind, at),
      hard: (kind, at, byte) => this.#failInText(kind, at, byte),
    })
  }

  /** The outermost value is complete, and no error has been found so far. */
  get isClosed(): boolean {
    return this.state === 'done' && this.#fault === undefined
  }

  push(bytes: Buffer): void {
    const base = this.#offset
    let at = 0
    while (at < bytes.length && this.#fault === undefined) {
      if (this.state === 'string') at = this.#passText(bytes, at, base)
      else if (this.take(bytes[at] ?? 0, base + at)) at++
    }
    this.#offset = base + bytes.length
  }

  end(): JsonScanned {
    if (this.#fault === undefined && this.state === 'number') this.endNumber(this.#offset)
    if (this.#fault === undefined && this.state !== 'done') this.#failAtEnd()
    return { fault: this.#fault, soft: [...this.#soft.values()], isBlank: this.#isBlank }
  }

  #passText(bytes: Buffer, from: number, base: number): number {
    const at = this.#text.pass(bytes, from, base)
    if (this.isKey && this.#key.length <= LONGEST_KEY)
      for (let i = from; i < at && this.#key.length <= LONGEST_KEY; i++) this.#key.push(bytes[i] ?? 0)
    if (at >= bytes.length || this.#fault !== undefined) return at
    if (this.isKey) this.#endKey(base + at)
    else this.endValue(base + at + 1)
    return at + 1
  }

  #endKey(at: number): void {
    this.state = 'colon'
    if (this.#badName !== undefined) return void this.#fail(at, 'syntax', SOFT_WORDS[this.#badName])
    if (this.#keys === undefined || this.stack.length !== KEY_DEPTH || this.#key.length > LONGEST_KEY) return
    const wrong = this.#keys.key(textOf(Buffer.from(this.#key)))
    if (wrong !== undefined) this.#fail(at, 'syntax', wrong)
  }

  protected override special(): undefined {
    this.#isBlank = false
  }

  protected override newline(at: number): void {
    this.#line++
    this.#lineStart = at + 1
  }

  /** serde_json reports a trailing comma only in containers that it parses, not in those that it skips. */
  protected override closeAfterComma(at: number): false {
    const passedOver = this.state === 'key' ? 'key must be a string' : 'expected value'
    return this.#fail(at, 'syntax', this.#isNamed() ? 'trailing comma' : passedOver)
  }

  protected override afterEnd(at: number): false {
    return this.#fail(at, 'syntax', 'trailing characters')
  }

  protected override opened(depth: number, at: number): void {
    if (depth === MAX_DEPTH) this.#noteSoft('depth', at)
    if (depth === KEY_DEPTH) this.#keys?.begin()
  }

  protected override beginText(): void {
    this.#key = []
    this.#text.begin()
  }

  protected override digit(byte: number, isFirst: boolean): void {
    if (isFirst) this.#digits = []
    if (this.#digits.length < LONGEST_NUMBER) this.#digits.push(byte)
  }

  protected override numberEnded(at: number): void {
    const isLong = this.#digits.length >= SURELY_FINITE || this.#digits.some(byte => byte === 0x65 || byte === 0x45)
    if (isLong && !Number.isFinite(Number(Buffer.from(this.#digits).toString('latin1')))) this.#noteSoft('number', at)
  }

  protected override misfit(kind: Misfit, at: number, byte: number): false {
    // serde_json consumes the byte after a number or a word before it reports an error.
    const seen = kind === 'number' || kind === 'word' ? byte : undefined
    return this.#fail(at, kind === 'depth' ? 'depth' : 'syntax', this.#wordsFor(kind), seen)
  }

  #wordsFor(kind: Misfit): string {
    switch (kind) {
      case 'beginning':
      case 'value':
        return 'expected value'
      case 'key':
        return 'key must be a string'
      case 'colon':
        return 'expected `:`'
      case 'comma':
      case 'bracket':
        return this.stack.at(-1) === OPEN_BRACE ? 'expected `,` or `}`' : 'expected `,` or `]`'
      case 'number':
        return 'invalid number'
      case 'word':
        return 'expected ident'
      case 'depth':
        return SOFT_WORDS.depth
    }
  }

  /** serde_json reports a control character in a skipped string before it consumes the byte. */
  #failInText(kind: keyof typeof TEXT_WORDS, at: number, byte: number): void {
    const isPassedOver = kind === 'control' && !(this.isKey && this.#isNamed())
    this.#fail(at, 'syntax', TEXT_WORDS[kind], isPassedOver ? undefined : byte)
    if (isPassedOver && this.#fault !== undefined) this.#fault = { ...this.#fault, column: this.#fault.column - 1 }
  }

  #isNamed(): boolean {
    return this.#keys !== undefined && this.stack.length <= KEY_DEPTH
  }

  #noteSoft(kind: 'utf8' | 'surrogate' | 'depth' | 'number', at: number): void {
    // A parsed key must be valid text.
    if ((kind === 'utf8' || kind === 'surrogate') && this.isKey && this.#isNamed()) this.#badName ??= kind
    if (!this.#soft.has(kind)) this.#soft.set(kind, this.#faultAt(at, kind, SOFT_WORDS[kind]))
  }

  #fail(at: number, kind: FaultKind, what: string, byte?: number): false {
    const fault = this.#faultAt(at, kind, what)
    // An error at a newline is reported at the start of the next line.
    this.#fault = byte === NEWLINE ? { ...fault, line: fault.line + 1, column: 0 } : fault
    return false
  }

  #faultAt(at: number, kind: FaultKind, what: string): JsonProblem {
    return { kind, what, line: this.#line, column: at - this.#lineStart + 1, offset: at }
  }

  /** At the end of the bytes, the position is that of the last byte. */
  #failAtEnd(): void {
    const column = this.#offset - this.#lineStart
    this.#fault = { kind: 'end', what: this.#endWords(), line: this.#line, column, offset: this.#offset }
  }

  #endWords(): string {
    const container = this.stack.at(-1) === OPEN_BRACE ? 'an object' : 'a list'
    switch (this.state) {
      case 'number':
        return 'invalid number'
      case 'key':
        return `EOF while parsing ${this.#isNamed() ? 'a value' : container}`
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

/** The text between two quotes. JP compares keys by what they say, not by how they are written. */
function textOf(stored: Buffer): string {
  if (!stored.includes(BACKSLASH)) return stored.toString('utf8')
  const text = parseJson(Buffer.concat([QUOTES, stored, QUOTES]))
  return typeof text === 'string' ? text : stored.toString('utf8')
}
