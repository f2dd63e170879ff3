// Finds where a damaged document continues: at the next message, or at the start of another document. Content
// of the conversation must not be taken for either. A text cannot be, because its quotes are escaped. An
// object inside a message can, and is recognised by its place.
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../ascii.ts'
import { parseJson } from '../json.ts'
import type { JsonRepairOptions, Repair } from '../json-repairer.ts'
import type { Layout } from './layout.ts'
import type { SalvagedField, Structure } from './segment.ts'
import type { Broken, SalvagedValue } from './value.ts'
import { endOfValue, isBroken, isSound, parseValue, readValue } from './value.ts'
import type { ByteWindow } from './window.ts'
import { BLANKS, GLUE } from './window.ts'

/** The doubts about a place where a message is searched. */
export interface Doubt {
  /** It is the first one of a list whose start is lost. */
  isFirst?: boolean
  /**
   * The place is inside a message that never ends: only certain matches count. Without columns, no message is
   * certain.
   */
  isInUnfinished?: boolean
}

export type FoundStart = { type: 'element'; value: SalvagedValue } | { type: 'document'; start: number }

/** How often the bytes may be scanned for messages: this limits the cost of a hostile document. */
const MAX_PASSES = 8
const FREE_BYTES = 16 * 1024 * 1024
const MAX_FIELDS = 256

export class MessageFinder {
  readonly #window: ByteWindow
  readonly #structure: Structure
  readonly #layout: Layout | undefined
  /** How many bytes were scanned for messages. */
  #searched = 0
  /** The first field of the first document, which identifies a second copy. */
  first: SalvagedField | undefined

  constructor(window: ByteWindow, structure: Structure, layout: Layout | undefined) {
    this.#window = window
    this.#structure = structure
    this.#layout = layout
  }

  isMessage(value: SalvagedValue): boolean {
    return this.#structure.isMessage(parseValue(this.#window, value))
  }

  /** The identity of a message: its id, or its whole content if it has none. */
  idOf(value: SalvagedValue): string {
    const parsed = parseValue(this.#window, value)
    return this.#structure.idOf?.(parsed) ?? JSON.stringify(parsed)
  }

  /**
   * The element that starts here, unchanged or repaired. A repaired element must be a message, at a place for
   * messages.
   */
  readElement(start: number): SalvagedValue | Broken {
    const byte = this.#window.at(start)
    if (byte === OPEN_BRACKET) return { brokenAt: start + 1, isUnfinished: false }
    const plain = readValue(this.#window, start)
    const isNamed = !isBroken(plain) && byte === QUOTE && this.#next(plain.end) === COLON
    if (!isBroken(plain) && !isNamed && (this.#isRepaired(plain) || this.#isOther(plain))) return plain
    if (byte === OPEN_BRACE || isNamed)
      for (const options of this.#attempts()) {
        const value = readValue(this.#window, start, { ...options, isOpen: isNamed })
        if (!isBroken(value) && this.#isRepaired(value)) return value
      }
    if (isBroken(plain)) return plain
    const isUpToEnd = this.#next(plain.end) === undefined
    return { brokenAt: isUpToEnd || plain.repairs.length === 0 ? start : (plain.doubt ?? start), isUnfinished: false }
  }

  /** An element that is not a known message, without a fault that could have changed the nesting. */
  #isOther(value: SalvagedValue): boolean {
    if (this.#window.at(value.start) !== OPEN_BRACE || this.isMessage(value) || this.#isForeign(value)) return false
    const isHarmless = value.repairs.every(({ kind }) => kind === 'text' || kind === 'nuls' || kind === 'comma')
    return isHarmless && isSound(this.#window, value) && (value.repairs.length === 0 || this.#isInPlace(value))
  }

  /** An object that is neither a message nor an element of the list: a part of one, or another document. */
  #isForeign({ start, end }: SalvagedValue): boolean {
    if (this.#layout === undefined) return this.isDocument(start)
    const { elements, fields } = this.#layout
    const name = this.#skip(start + 1)
    return this.#window.column(end - 1) !== elements || this.#window.column(name) !== elements + fields
  }

  #attempts(): JsonRepairOptions[] {
    if (this.#layout === undefined) return [{}, { brackets: true, isElement: true }, { brackets: true }]
    const options = { brackets: true, isElement: true, column: this.#layout.elements }
    return [{}, options, { ...options, quotes: true }]
  }

  #isRepaired(value: SalvagedValue): boolean {
    if (!isSound(this.#window, value)) return false
    const parsed = parseValue(this.#window, value)
    if (!this.#structure.isMessage(parsed)) return false
    if (this.#layout === undefined && this.#isMerged(value, parsed)) return false
    return (value.repairs.length === 0 && this.#layout === undefined) || this.#isInPlace(value)
  }

  /**
   * A lost or superfluous bracket can merge one message with all that follow, up to the end of the document. If
   * nothing had to be repaired, the end of the list closed a list of the message itself.
   */
  #isMerged({ repairs, end }: SalvagedValue, parsed: unknown): boolean {
    const isRepaired = repairs.some(({ kind }) => kind !== 'text' && kind !== 'nuls')
    if (isRepaired) return holdsMessage(parsed, this.#structure)
    return this.#next(end) === undefined && listsMessage(parsed, this.#structure)
  }

  #isInPlace({ start, end, stop }: SalvagedValue): boolean {
    if (this.#layout !== undefined) return stop !== undefined || this.#isInColumn(start, end)
    if (stop !== undefined)
      return this.#window.at(stop) === CLOSE_BRACKET ? this.isTail(stop + 1, true) !== false : this.#isMessageAt(stop)
    const next = this.#next(end)
    return next === undefined || next === COMMA || next === CLOSE_BRACKET || next === OPEN_BRACE
  }

  /** A message on one line has only the column of its start. */
  #isInColumn(start: number, end: number): boolean {
    const column = this.#window.column(end - 1) ?? this.#window.column(start)
    return column === this.#layout?.elements
  }

  #isMessageAt(start: number): boolean {
    const value = this.#window.at(start) === OPEN_BRACE ? readValue(this.#window, start) : undefined
    return value !== undefined && !isBroken(value) && this.isMessage(value)
  }

  /** The next message or document that starts at or after `from`, and before `until`. */
  next(from: number, until: number, doubt: Doubt = {}): FoundStart | undefined {
    const window = this.#window
    const limit = MAX_PASSES * window.size + FREE_BYTES
    const before = window.spent - this.#searched
    for (let at = window.indexOf(OPEN_BRACE, from); at !== undefined && at < until; ) {
      const found = this.#foundAt(at, doubt)
      this.#searched = window.spent - before
      if (found !== undefined) return found
      if (this.#searched > limit) return undefined
      at = window.indexOf(OPEN_BRACE, at + 1)
    }
    return undefined
  }

  #foundAt(at: number, { isFirst = false, isInUnfinished = false }: Doubt): FoundStart | undefined {
    const name = this.#skip(at + 1)
    if (this.#window.at(name) !== QUOTE) return undefined
    const column = this.#layout === undefined ? undefined : this.#window.column(name)
    if (column === this.#layout?.fields && this.isDocument(at, isInUnfinished)) return { type: 'document', start: at }
    if (this.#layout === undefined ? isInUnfinished : column !== this.#layout.elements + this.#layout.fields)
      return undefined
    const value = this.readElement(at)
    if (isBroken(value) || !this.isMessage(value)) return undefined
    const isInPlace = this.#layout === undefined ? this.#continuesList(value.end) : this.#isInPlace(value)
    if (isInUnfinished && (isInPlace !== true || this.#isInside(at))) return undefined
    return (isInPlace ?? (isFirst || !this.#isInside(at))) ? { type: 'element', value } : undefined
  }

  /** Whether a whole document starts here: fields, and the list among them. */
  isDocument(at: number, isInUnfinished = false): boolean {
    if (this.#window.at(at) !== OPEN_BRACE || !this.#beginsAlike(at)) return false
    if (this.#isHeld(at, isInUnfinished)) return false
    let place = at + 1
    for (let count = 0; count < MAX_FIELDS; count++) {
      place = this.#skip(place)
      const field = this.readName(place)
      if (field === undefined) return false
      const value = this.#skip(field.end)
      if (this.#structure.lists.includes(field.name) && this.#window.at(value) === OPEN_BRACKET) return true
      const read = readValue(this.#window, value)
      if (isBroken(read) || this.#next(read.end) !== COMMA) return false
      place = this.#skip(read.end) + 1
    }
    return false
  }

  /**
   * Whether an object is inside another one, by its column or by what follows it. Inside a value that never
   * ends, neither does its content.
   */
  #isHeld(at: number, isInUnfinished: boolean): boolean {
    if (this.#layout !== undefined) return this.#window.column(this.#skip(at + 1)) !== this.#layout.fields
    const value = endOfValue(this.#window, at)
    if (value === undefined) return false
    if (value.end === undefined) return isInUnfinished
    const next = this.#next(value.end)
    return next === COMMA || next === CLOSE_BRACE || next === CLOSE_BRACKET
  }

  /** Two copies of one document start with the same field. */
  #beginsAlike(at: number): boolean {
    const { first } = this
    if (first === undefined || first.end - first.start > FREE_BYTES) return true
    const start = this.#skip(at + 1)
    const bytes = this.#window.range(first.start, first.end)
    return this.#window.range(start, start + bytes.length).equals(bytes)
  }

  /** The name of a field, up to the end of its colon. A missing colon is inserted. */
  readName(start: number): SalvagedField | undefined {
    if (this.#window.at(start) !== QUOTE) return undefined
    const text = readValue(this.#window, start)
    if (isBroken(text)) return undefined
    const name = parseJson(this.#window.range(start, text.end))
    const colon = this.#skip(text.end)
    if (typeof name !== 'string') return undefined
    if (this.#window.at(colon) === COLON)
      return this.#skipColons({
        name,
        start,
        end: colon + 1,
        repairs: [...text.repairs, ...this.blanks(text.end, colon)],
      })
    if (!BEGINS.has(this.#window.at(colon) ?? 0) || text.repairs.length > 0) return undefined
    return { name, start, end: text.end, repairs: [{ kind: 'mark', start: text.end, end: text.end, bytes: COLONS }] }
  }

  /** Drops superfluous colons. */
  #skipColons(field: SalvagedField): SalvagedField {
    const next = this.#skip(field.end)
    if (this.#window.at(next) !== COLON) return field
    const stray: Repair = { kind: 'stray', start: next, end: next + 1, bytes: Buffer.from(' ') }
    return this.#skipColons({
      ...field,
      end: next + 1,
      repairs: [...field.repairs, ...this.blanks(field.end, next), stray],
    })
  }

  /**
   * The next place of one of these names with `behind` after its colon, in the column of the fields if there
   * are columns.
   */
  searchName(names: readonly string[], behind: string, from: number, end: number): number | undefined {
    if (names.length === 0) return undefined
    const pattern = new RegExp(`${namePattern(names)}${behind}`)
    for (let at = from; at < end; ) {
      const found = this.#window.search(pattern, at, end)
      if (found === undefined) return undefined
      const column = this.#layout === undefined ? undefined : this.#window.column(found.start)
      if (column === undefined || column === this.#layout?.fields) return found.start
      at = found.start + 1
    }
    return undefined
  }

  /** The next bracket that ends the list and has a known field behind it. */
  nextListEnd(from: number, end: number): number | undefined {
    const window = this.#window
    const pattern = new RegExp(`\\][\\s\\0]*,[\\s\\0]*${namePattern(this.#structure.fields)}`)
    const limit = window.spent + MAX_PASSES * window.size + FREE_BYTES
    for (let at = from; at < end && window.spent <= limit; ) {
      const found = window.search(pattern, at, end)
      if (found === undefined || this.#isListEnd(found.start)) return found?.start
      at = found.start + 1
    }
    return undefined
  }

  /** By the column of the bracket or of the field, or by what follows. */
  #isListEnd(bracket: number): boolean {
    if (this.#layout === undefined) return this.isTail(bracket + 1) !== false
    const name = this.#window.skip(bracket + 1, GLUE)
    return [bracket, name].some(place => this.#window.column(place) === this.#layout?.fields)
  }

  /** The NULs between two places with only NULs and white space between them. */
  blanks(start: number, end: number): Repair[] {
    const repairs: Repair[] = []
    for (let at = start; at < end; at++) {
      if (this.#window.at(at) !== 0) continue
      const from = at
      at = this.#window.skip(at, NULS)
      repairs.push({ kind: 'nuls', start: from, end: at, bytes: Buffer.alloc(at - from, ' ') })
    }
    return repairs
  }

  /**
   * Whether the bytes after a message are those after a list element, and not those after an object inside
   * one. Undefined if undecided.
   */
  #continuesList(end: number): boolean | undefined {
    for (let place = this.#skip(end), isFirst = true; ; isFirst = false) {
      switch (this.#window.at(place)) {
        case COMMA: {
          const next = this.#skip(place + 1)
          const byte = this.#window.at(next)
          if (byte !== OPEN_BRACE) return byte === undefined || !isFirst ? undefined : false
          const value = readValue(this.#window, next)
          if (isBroken(value) || value.repairs.length > 0 || !this.isMessage(value)) return undefined
          place = this.#skip(value.end)
          break
        }
        case CLOSE_BRACKET:
          return this.isTail(place + 1, true)
        case CLOSE_BRACE:
          return isFirst ? false : undefined
        default:
          return undefined
      }
    }
  }

  /** The first element of a list, or the value of a field, is inside another value. */
  #isInside(start: number): boolean {
    const before = this.#window.at(this.#window.skipBack(start, BLANKS) - 1)
    return before === OPEN_BRACKET || before === COLON
  }

  /**
   * Whether the end of a document follows the bracket that closes a list. Undefined if undecided. `isStrict`:
   * and nothing else follows.
   */
  isTail(from: number, isStrict = false): boolean | undefined {
    let place = this.#skip(from)
    for (let count = 0; count < MAX_FIELDS; count++) {
      const byte = this.#window.at(place)
      if (byte === undefined) return undefined
      if (byte === CLOSE_BRACE) return this.#isEnd(place + 1, isStrict)
      const name = this.#skip(byte === COMMA ? place + 1 : place)
      const field = byte === COMMA ? this.readName(name) : undefined
      // Brackets belong to another value. Invalid JSON decides nothing.
      if (field === undefined) return isStrict && !BRACKETS.has(this.#window.at(name) ?? 0) ? undefined : false
      const value = readValue(this.#window, this.#skip(field.end))
      if (isBroken(value)) return undefined
      place = this.#skip(value.end)
    }
    return undefined
  }

  /**
   * A bracket that closes too early, because others were lost, is followed by a comma and more. The rest of
   * an older document starts anywhere.
   */
  #isEnd(from: number, isStrict: boolean): boolean {
    const rest = this.#skip(from)
    if (this.#window.at(rest) === undefined || this.isDocument(rest)) return true
    return !isStrict && this.#window.at(this.#window.skip(rest, CLOSERS)) !== COMMA
  }

  #skip(place: number): number {
    return this.#window.skip(place, BLANKS)
  }

  #next(place: number): number | undefined {
    return this.#window.at(this.#skip(place))
  }
}

const NULS: ReadonlySet<number> = new Set([0])
const COLONS = Buffer.from(':')
const BEGINS: ReadonlySet<number> = new Set([QUOTE, OPEN_BRACE, OPEN_BRACKET])
const BRACKETS: ReadonlySet<number> = new Set([...BEGINS, CLOSE_BRACKET])
const CLOSERS: ReadonlySet<number> = new Set([...BLANKS, CLOSE_BRACE, CLOSE_BRACKET])

/** Whether a value inside has the form of a message. */
function holdsMessage(value: unknown, { isMessage }: Structure): boolean {
  const open = childrenOf(value)
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    if (isMessage(inner)) return true
    for (const child of childrenOf(inner)) open.push(child)
  }
  return false
}

/** Whether a list that is a field of the value has a message. */
function listsMessage(value: unknown, { isMessage }: Structure): boolean {
  return childrenOf(value).some(list => Array.isArray(list) && list.some(isMessage))
}

function childrenOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).filter(child => typeof child === 'object' && child !== null)
}

/** One of these names, with its colon. */
function namePattern(names: readonly string[]): string {
  return `"(?:${names.map(name => name.replaceAll(/\W/g, '\\$&')).join('|')})"[\\s\\0]*:[\\s\\0]*`
}
