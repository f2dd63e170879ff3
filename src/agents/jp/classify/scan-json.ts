// Reads JSON as strictly as JP's parser does, in chunks of any size, keeping nothing: is it JSON, and if not, what is wrong and where.
import { OPEN_BRACE } from '../../../bytes/ascii.ts'
import type { Misfit } from '../../../bytes/json-structure.ts'
import { JsonStructure } from '../../../bytes/json-structure.ts'
import type { FaultKind, JsonFault, JsonScanned } from './fault.ts'
import { TextScan } from './scan-text.ts'

/** With this many containers open, serde_json gives up. */
const MAX_DEPTH = 128
const NEWLINE = 0x0a
/** A number with fewer characters cannot be beyond what a double holds. */
const SURELY_FINITE = 300
/** Of a longer one, the beginning is looked at. */
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
  /** A field of an object inside the outermost container has this name; says what is wrong with that. Long names are not told. */
  key(name: string): string | undefined
  /** Such an object begins. */
  begin(): void
}
/** With a watcher, the outermost list and the objects in it are read by their names; everything further in, and everything without one, is only passed over. */
const KEY_DEPTH = 2
const LONGEST_KEY = 32

export class JsonScan extends JsonStructure {
  #fault: JsonFault | undefined
  readonly #soft = new Map<FaultKind, JsonFault>()
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

  /** The outermost value is complete, and nothing has been found wrong so far. */
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
    return { fault: this.#fault, soft: [...this.#soft.values()], isBlank: this.#isBlank, size: this.#offset }
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
    const wrong = this.#keys.key(Buffer.from(this.#key).toString('utf8'))
    if (wrong !== undefined) this.#fail(at, 'syntax', wrong)
  }

  protected override special(): undefined {
    this.#isBlank = false
  }

  protected override newline(at: number): void {
    this.#line++
    this.#lineStart = at + 1
  }

  /** Only where it reads by names does the parser know a comma too many for one. */
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
    // Only in a number and in a word does the parser look at the byte behind before it gives up.
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

  /** What the parser only passes over, it does not take in before it complains; a name it does. */
  #failInText(kind: keyof typeof TEXT_WORDS, at: number, byte: number): void {
    const isPassedOver = kind === 'control' && !(this.isKey && this.#isNamed())
    this.#fail(at, 'syntax', TEXT_WORDS[kind], isPassedOver ? undefined : byte)
    if (isPassedOver && this.#fault !== undefined) this.#fault = { ...this.#fault, column: this.#fault.column - 1 }
  }

  #isNamed(): boolean {
    return this.#keys !== undefined && this.stack.length <= KEY_DEPTH
  }

  #noteSoft(kind: 'utf8' | 'surrogate' | 'depth' | 'number', at: number): void {
    // A name has to be text for whoever looks for one.
    if ((kind === 'utf8' || kind === 'surrogate') && this.isKey && this.#isNamed()) this.#badName ??= kind
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
