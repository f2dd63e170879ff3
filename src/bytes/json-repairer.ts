// Reads one JSON value and makes the repairs that are certain: characters that a text may not hold, and
// missing or superfluous commas, colons and brackets. Anything else is a fault, as in the strict machine.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts'
import type { Edit } from './edits.ts'
import type { Watcher } from './json-machine.ts'
import { JsonMachine } from './json-machine.ts'
import type { Misfit } from './json-structure.ts'

/**
 * `text`: inside a text. `mark`: a missing comma or colon. `comma`: one too many. `stray`: bytes that belong
 * to nothing.
 */
export type RepairKind = 'text' | 'nuls' | 'mark' | 'comma' | 'stray' | 'bracket' | 'quote'

export interface Repair extends Edit {
  kind: RepairKind
}

export interface JsonRepairOptions {
  /** Also allow repairs that change the nesting. */
  brackets?: boolean
  /**
   * The column of the line that the value starts on, if it is written over several lines: columns then show
   * the nesting.
   */
  column?: number
  /** A text that does not end on its line has lost its quote. */
  quotes?: boolean
  /** The bracket that opens the object is missing. */
  isOpen?: boolean
  /** The value is an element of a list. */
  isElement?: boolean
}

/**
 * A longer damaged stretch may have held the border between two texts, `","x":"`, or between two messages.
 * Joining both sides could produce a statement that never existed.
 */
export const SHORTEST_BORDER_BYTES = 7
const MAX_REPAIRS = 100_000
/** A value that has lost more brackets was cut. */
const MAX_BRACKETS = 2
const MAX_JOINED_BYTES = 256
const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const NOTHING: Watcher = { depth: 0 }
const ESCAPES = new Map([
  [0x08, '\\b'],
  [TAB, '\\t'],
  [NEWLINE, '\\n'],
  [0x0c, '\\f'],
  [RETURN, '\\r'],
])

export class JsonRepairer extends JsonMachine {
  readonly repairs: Repair[] = []
  /** The place after the value. */
  end = 0
  /** The start of the text in or after which the first repair was needed. Nothing before it is in doubt. */
  doubt: number | undefined
  readonly #options: JsonRepairOptions
  /** The place after the last value, name or opening bracket, and the place of the last comma. */
  #lastEnd: number
  #comma = 0
  /** The place after what precedes the last value, and whether a comma is between them. */
  #before = { end: 0, hasComma: false }
  #wasText = false
  #hasComma = false
  #brackets = { count: 0, last: -1 }
  #isPassedOver = false
  #run = { start: 0, end: -1, byte: 0 }
  #lineStart = 0
  #isFirstOnLine = false
  #column: number
  readonly #columns: number[] = []

  constructor(offset: number, options: JsonRepairOptions = {}, watcher: Watcher = NOTHING) {
    super(watcher, offset)
    this.#options = options
    this.#lastEnd = offset
    this.#column = options.column ?? 0
    if (options.isOpen !== true) return
    this.#edit('bracket', offset, offset, '{')
    this.stack.push(OPEN_BRACE)
    this.#columns.push(this.#column)
    this.state = 'first-key'
  }

  protected override isOver(): boolean {
    return this.isClosed || super.isOver()
  }

  protected override isPassedOver(): boolean {
    const isPassedOver = this.#isPassedOver
    this.#isPassedOver = false
    return isPassedOver
  }

  protected override mayBegin(): boolean {
    return true
  }

  /* ---- inside texts ---- */

  protected override badCharacter(at: number, byte: number, before: number): boolean {
    if (this.#options.quotes === true && (byte === NEWLINE || byte === RETURN)) return this.#endTextOfLine(at, before)
    if (!this.#acceptRun(at, byte)) return this.fail(this.#run.start, 'a part of a text is lost')
    if (byte === 0) return this.#edit('text', at, at + 1, ' ')
    return this.#edit('text', at, at + 1, ESCAPES.get(byte) ?? `\\u00${byte.toString(16).padStart(2, '0')}`)
  }

  protected override badEscape(start: number): boolean {
    return this.#edit('text', start, start, '\\')
  }

  /** A comma at the end of the line comes after the text. */
  #endTextOfLine(at: number, before: number): boolean {
    if (this.isKey) return this.fail(at, 'the name of a field is broken')
    const end = before === COMMA ? at - 1 : at
    this.#edit('quote', end, end, '"')
    this.endString(end)
    // A bracket that is lost with the quote makes it a cut.
    this.#brackets.last = end
    if (before === COMMA) this.take(COMMA, end)
    return true
  }

  /** False for a long run of the same byte. Many tabs are allowed. */
  #acceptRun(at: number, byte: number): boolean {
    const run = this.#run
    if (run.end === at && run.byte === byte) run.end++
    else this.#run = { start: at, end: at + 1, byte }
    return byte === TAB || this.#run.end - this.#run.start < SHORTEST_BORDER_BYTES
  }

  /* ---- outside texts ---- */

  protected override special(byte: number, at: number): boolean | undefined {
    if (byte === 0) return this.#passStray(at, byte, 'nuls')
    if (!isOfJson(byte) && this.state !== 'value' && this.state !== 'first' && this.state !== 'next')
      return this.#passStray(at, 0xff, 'stray')
    if (!this.#isFirstOnLine) return undefined
    this.#isFirstOnLine = false
    this.#column = at - this.#lineStart
    if (this.#options.brackets === true && this.#options.column !== undefined) this.#fitColumn(byte)
    return this.isOver() ? false : undefined
  }

  #passStray(at: number, byte: number, kind: 'nuls' | 'stray'): boolean {
    if (this.stack.length === 0) return this.fail(at, 'no value begins like this')
    const run = this.#run
    if (run.end === at && run.byte === byte) run.end++
    else this.#run = { start: at, end: at + 1, byte }
    if (this.#run.end - this.#run.start >= SHORTEST_BORDER_BYTES) return this.fail(at, 'a part of it is lost')
    return this.#edit(kind, at, at + 1, ' ')
  }

  /** By columns, a container ends before the first line that is not indented further than its own. */
  #fitColumn(byte: number): void {
    const isCloser = byte === CLOSE_BRACE || byte === CLOSE_BRACKET
    for (let own = this.#columns.at(-1); own !== undefined && !this.isOver(); own = this.#columns.at(-1)) {
      if (isCloser ? this.#column >= own : this.#column > own) return
      // After an object, another one starts in its own column or not at all.
      if (byte === OPEN_BRACE && this.state === 'key' && this.#column !== this.#columns[0]) return
      if (this.state === 'colon' || this.state === 'value' || !this.#closeTop()) return
    }
  }

  protected override misfit(kind: Misfit, at: number, byte: number): false {
    if (this.repairs.length < MAX_REPAIRS && this.#repair(kind, at, byte)) return false
    return super.misfit(kind, at, byte)
  }

  #repair(kind: Misfit, at: number, byte: number): boolean {
    const isBegin = byte === QUOTE || byte === OPEN_BRACE || byte === OPEN_BRACKET
    switch (kind) {
      case 'comma':
        if (byte === COLON) return this.#options.brackets === true && this.#closeBeforeName()
        if (!isBegin || (this.#isInObject() && byte !== QUOTE)) return false
        this.#edit('mark', this.#lastEnd, this.#lastEnd, ',')
        this.state = this.#isInObject() ? 'key' : 'next'
        return true
      case 'colon':
        if (!isBegin) return false
        this.#edit('mark', this.#lastEnd, this.#lastEnd, ':')
        this.state = 'value'
        return true
      case 'key':
        if (byte === COMMA) return this.#passOver('comma', at)
        return this.#options.brackets === true && this.#closeUnlessKey(byte, at)
      case 'value':
        if (byte === COMMA && this.state !== 'value') return this.#passOver('comma', at)
        if (byte === COLON && this.state === 'value') return this.#passOver('stray', at)
        return this.#options.brackets === true && this.#closeAt(byte)
      case 'bracket':
        return this.#options.brackets === true && (this.#closeAt(byte) || this.#passOver('stray', at))
      default:
        return false
    }
  }

  /** A closing bracket that does not match the innermost container, but the one around it. */
  #closeAt(byte: number): boolean {
    if ((byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET) || this.state === 'value') return false
    const around = this.stack.at(-2) ?? (this.#options.isElement === true ? OPEN_BRACKET : undefined)
    if (around !== (byte === CLOSE_BRACE ? OPEN_BRACE : OPEN_BRACKET)) return false
    if (this.#hasComma) this.#edit('comma', this.#comma, this.#comma + 1, ' ')
    this.#hasComma = false
    return this.#closeTop()
  }

  /**
   * An object after a comma where a name is expected: the object before it is not closed, or the bracket is
   * superfluous. Columns would have shown which.
   */
  #closeUnlessKey(byte: number, at: number): boolean {
    if (byte === CLOSE_BRACKET) return this.#closeAt(byte)
    if (byte !== OPEN_BRACE) return false
    const around = this.stack.at(-2) ?? (this.#options.isElement === true ? OPEN_BRACKET : undefined)
    const isUnclosed = this.#hasComma && around === OPEN_BRACKET && this.#options.column === undefined
    return isUnclosed ? this.#closeTop() : this.#passOver('stray', at)
  }

  /** A name in a list: the list ends before it. */
  #closeBeforeName(): boolean {
    if (this.#isInObject() || !this.#wasText || this.stack.at(-2) !== OPEN_BRACE) return false
    const { end, hasComma } = this.#before
    if (!this.#mayClose(end)) return false
    this.#edit('bracket', end, end, hasComma ? ']' : '],')
    this.stack.pop()
    this.#columns.pop()
    this.state = 'colon'
    return true
  }

  /**
   * Closes the innermost container after its content. A comma that was already read belongs to the container
   * around it.
   */
  #closeTop(): boolean {
    if (!this.#mayClose(this.#lastEnd)) return this.fail(this.#lastEnd, 'it is cut')
    const top = this.stack.pop()
    this.#columns.pop()
    const hasComma = this.#hasComma
    this.#edit('bracket', this.#lastEnd, this.#lastEnd, top === OPEN_BRACE ? '}' : ']')
    this.endValue(this.#lastEnd)
    if (hasComma && !this.isClosed) {
      this.state = this.#isInObject() ? 'key' : 'next'
      this.#hasComma = true
    }
    return true
  }

  /** One bracket may be lost at a place, but not all open ones. */
  #mayClose(place: number): boolean {
    const { count, last } = this.#brackets
    this.#brackets = { count: count + 1, last: place }
    return count < MAX_BRACKETS && last !== place
  }

  protected override closeAfterComma(): boolean {
    return this.#edit('comma', this.#comma, this.#comma + 1, ' ')
  }

  #passOver(kind: 'comma' | 'stray', at: number): boolean {
    this.#isPassedOver = true
    return this.#edit(kind, at, at + 1, ' ')
  }

  #isInObject(): boolean {
    return this.stack.at(-1) === OPEN_BRACE
  }

  /* ---- where things are ---- */

  protected override newline(at: number): void {
    this.#lineStart = at + 1
    this.#isFirstOnLine = true
  }

  protected override comma(at: number): void {
    this.#comma = at
    this.#hasComma = true
  }

  protected override opened(depth: number, at: number, byte: number): void {
    this.#columns.push(this.#column)
    this.#lastEnd = at + 1
    this.#hasComma = false
    super.opened(depth, at, byte)
  }

  protected override beginText(at: number): void {
    this.#before = { end: this.#lastEnd, hasComma: this.#hasComma }
    super.beginText(at)
  }

  protected override endString(end: number): void {
    super.endString(end)
    this.#lastEnd = end
    this.#hasComma = false
    this.#wasText = true
  }

  protected override valueEnded(depth: number, end: number): void {
    if (this.#columns.length > this.stack.length) this.#columns.length = this.stack.length
    this.#lastEnd = end
    this.#hasComma = false
    this.#wasText = false
    if (depth === 0) this.end = end
    super.valueEnded(depth, end)
  }

  /**
   * Sorted by place: a bracket may have been lost before bytes that are already repaired. Insertions at one
   * place are one repair.
   */
  #edit(kind: RepairKind, start: number, end: number, text: string): boolean {
    this.doubt ??= this.lastText
    if (this.repairs.length === MAX_REPAIRS) return this.fail(start, 'too much of it is broken')
    const isInsertion = start === end
    const isBehind = (repair: Repair): boolean =>
      repair.start > start || (isInsertion && repair.start === start && repair.end > start)
    let place = this.repairs.length
    for (let last = this.repairs[place - 1]; last !== undefined && isBehind(last); last = this.repairs[place - 1])
      place--
    const before = this.repairs[place - 1]
    const isJoined = isInsertion ? before?.start === start : before?.kind === kind && before.start < before.end
    if (before !== undefined && isJoined && before.end === start && before.bytes.length < MAX_JOINED_BYTES) {
      before.end = end
      before.bytes = Buffer.concat([before.bytes, Buffer.from(text)])
    } else this.repairs.splice(place, 0, { kind, start, end, bytes: Buffer.from(text) })
    return true
  }
}

const OF_JSON = new Set(Buffer.from('{}[]",:-0123456789tfn'))

function isOfJson(byte: number): boolean {
  return OF_JSON.has(byte)
}
