// The structure of JSON, byte by byte: which bytes may occur where outside of texts. Subclasses decide what
// to skip, what to report, and how.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, SPACE } from './ascii.ts'
import type { NumberState } from './json-scalars.ts'
import { firstOfNumber, isDigit, mayEndAfter, nextOfNumber, wordFrom } from './json-scalars.ts'

export type JsonState =
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

/** Which byte was expected. */
export type Misfit = 'beginning' | 'value' | 'key' | 'colon' | 'comma' | 'bracket' | 'number' | 'word' | 'depth'

/** No agent writes deeper nesting, and memory must stay bounded. */
const MAX_DEPTH = 1_000_000

export abstract class JsonStructure {
  protected state: JsonState = 'value'
  /** The open brackets, outermost first. */
  protected readonly stack: number[] = []
  /** The current text is the name of a field. */
  protected isKey = false
  #number: NumberState = 'zero'
  #word = ''
  #wordRead = 0

  /** A byte that does not fit. */
  protected abstract misfit(kind: Misfit, at: number, byte: number): false
  /** A closing bracket after a comma. False if that ends the reading. */
  protected abstract closeAfterComma(at: number): boolean
  /** A byte after the end of the outermost value. False if that ends the reading. */
  protected abstract afterEnd(at: number): boolean

  /** Whether the outermost value may start with this byte. */
  protected mayBegin(_byte: number): boolean {
    return true
  }
  /**
   * Called for each byte that is not white space, before it is interpreted. `undefined` for an ordinary byte.
   */
  protected special(_byte: number, _at: number): boolean | undefined {
    return undefined
  }
  protected newline(_at: number): void {}
  protected comma(_at: number): void {}
  protected opened(_depth: number, _at: number, _byte: number): void {}
  protected beginText(_at: number): void {}
  protected digit(_byte: number, _isFirst: boolean): void {}
  protected numberEnded(_at: number): void {}
  /** Inside `depth` containers. */
  protected valueEnded(_depth: number, _end: number): void {}

  /**
   * One byte outside of texts. False if it must be processed again because it ended a number, or if reading
   * has ended.
   */
  protected take(byte: number, at: number): boolean {
    if (this.state === 'word') return this.#goOnWithWord(byte, at)
    if (this.state === 'number') return this.#goOnWithNumber(byte, at)
    if (byte === SPACE || byte === 0x0d || byte === 0x09) return true
    if (byte === 0x0a) {
      this.newline(at)
      return true
    }
    return this.special(byte, at) ?? this.#takeMark(byte, at)
  }

  #takeMark(byte: number, at: number): boolean {
    switch (this.state) {
      case 'value':
      case 'first':
      case 'next':
        return this.#takeValue(byte, at)
      case 'first-key':
      case 'key':
        if (byte === QUOTE) return this.#beginString(at, true)
        return byte === CLOSE_BRACE ? this.#close(byte, at) : this.misfit('key', at, byte)
      case 'colon':
        if (byte !== COLON) return this.misfit('colon', at, byte)
        this.state = 'value'
        return true
      case 'after':
        return this.#takeAfter(byte, at)
      default:
        return this.afterEnd(at)
    }
  }

  #takeValue(byte: number, at: number): boolean {
    if (byte === CLOSE_BRACKET && this.state !== 'value') return this.#close(byte, at)
    if (this.stack.length === 0 && !this.mayBegin(byte)) return this.misfit('beginning', at, byte)
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.#open(byte, at)
    if (byte === QUOTE) return this.#beginString(at, false)
    const number = firstOfNumber(byte)
    if (number !== undefined) {
      this.#number = number
      this.state = 'number'
      this.digit(byte, true)
      return true
    }
    const word = wordFrom(byte)
    if (word === undefined) return this.misfit('value', at, byte)
    this.#word = word
    this.#wordRead = 1
    this.state = 'word'
    return true
  }

  #takeAfter(byte: number, at: number): boolean {
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return this.#close(byte, at)
    if (byte !== COMMA) return this.misfit('comma', at, byte)
    this.comma(at)
    this.state = this.stack.at(-1) === OPEN_BRACE ? 'key' : 'next'
    return true
  }

  #open(byte: number, at: number): boolean {
    if (this.stack.length === MAX_DEPTH) return this.misfit('depth', at, byte)
    const depth = this.stack.push(byte)
    this.state = byte === OPEN_BRACE ? 'first-key' : 'first'
    this.opened(depth, at, byte)
    return true
  }

  #close(byte: number, at: number): boolean {
    if ((byte === CLOSE_BRACE) !== (this.stack.at(-1) === OPEN_BRACE)) return this.misfit('bracket', at, byte)
    if ((this.state === 'key' || this.state === 'next') && !this.closeAfterComma(at)) return false
    this.stack.pop()
    this.endValue(at + 1)
    return true
  }

  protected endValue(end: number): void {
    const depth = this.stack.length
    this.state = depth === 0 ? 'done' : 'after'
    this.valueEnded(depth, end)
  }

  #beginString(at: number, isKey: boolean): true {
    this.isKey = isKey
    this.state = 'string'
    this.beginText(at)
    return true
  }

  #goOnWithNumber(byte: number, at: number): boolean {
    const next = nextOfNumber(this.#number, byte)
    if (next !== undefined) {
      this.#number = next
      this.digit(byte, false)
      return true
    }
    // A number has no leading zero.
    if (isDigit(byte) || !mayEndAfter(this.#number)) return this.misfit('number', at, byte)
    this.endNumber(at)
    return false
  }

  /** Also called if the bytes end after a number: only their end shows that it is complete. */
  protected endNumber(at: number): void {
    if (!mayEndAfter(this.#number)) return
    this.numberEnded(at)
    this.endValue(at)
  }

  #goOnWithWord(byte: number, at: number): boolean {
    if (byte !== this.#word.charCodeAt(this.#wordRead)) return this.misfit('word', at, byte)
    this.#wordRead++
    if (this.#wordRead === this.#word.length) this.endValue(at + 1)
    return true
  }
}
