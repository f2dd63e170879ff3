// Growing columns of numbers, and tables that find a row by the hash of an id.
import { giveBack, zeros } from './spare-memory.ts'

type Numbers = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>
type NumbersOf = { new (length: number): Numbers }

const FIRST_ROWS = 64
/**
 * Rows for each page. A column grows by one page: copying the whole column would briefly need twice its
 * memory.
 */
const PAGE_BITS = 14
const PAGE_ROWS = 1 << PAGE_BITS
const ROW_IN_PAGE = PAGE_ROWS - 1

export class Column {
  length = 0
  readonly #make: NumbersOf
  readonly #pages: Numbers[]

  constructor(make: NumbersOf) {
    this.#make = make
    this.#pages = [new make(FIRST_ROWS)]
  }

  push(value: number): void {
    const row = this.length
    const at = row & ROW_IN_PAGE
    let page = this.#pages[row >>> PAGE_BITS]
    if (page === undefined || at >= page.length) page = this.#grow(row >>> PAGE_BITS)
    page[at] = value
    this.length = row + 1
  }

  get(row: number): number {
    return this.#pages[row >>> PAGE_BITS]?.[row & ROW_IN_PAGE] ?? 0
  }

  set(row: number, value: number): void {
    const page = this.#pages[row >>> PAGE_BITS]
    if (page !== undefined) page[row & ROW_IN_PAGE] = value
  }

  /**
   * The first page grows by doubling, because most sessions are short. Each further page is allocated whole.
   */
  #grow(number: number): Numbers {
    const before = this.#pages[number]
    const wider = new this.#make(before === undefined ? PAGE_ROWS : before.length * 2)
    if (before !== undefined) wider.set(before)
    this.#pages[number] = wider
    return wider
  }
}

export function gather<All extends Uint16Array | Int32Array>(into: All, numberOf: (row: number) => number): All {
  for (let row = 0; row < into.length; row++) into[row] = numberOf(row)
  return into
}

/** Rows of a few whole numbers each. What is used for every record of a log reads the pages directly. */
export class IntRows {
  length = 0
  readonly width: number
  readonly #pages: Int32Array<ArrayBuffer>[] = []

  constructor(width: number) {
    this.width = width
  }

  /** The page that holds a row which was added. `placeIn` says where it begins there. */
  pageOf(row: number): Int32Array<ArrayBuffer> {
    return this.#pages[row >>> PAGE_BITS] ?? NO_PAGE
  }

  get(row: number, part: number): number {
    return this.pageOf(row)[placeIn(row, this.width) + part] ?? 0
  }

  set(row: number, part: number, value: number): void {
    this.pageOf(row)[placeIn(row, this.width) + part] = value
  }

  /** Adds a row of zeros, and returns its page. */
  add(): Int32Array<ArrayBuffer> {
    const row = this.length++
    const number = row >>> PAGE_BITS
    const page = number < this.#pages.length ? this.pageOf(row) : NO_PAGE
    return placeIn(row, this.width) < page.length ? page : this.#grow(number, page)
  }

  push(first: number, second: number): void {
    const place = placeIn(this.length, this.width)
    const page = this.add()
    page[place] = first
    page[place + 1] = second
  }

  /** Copies one of the numbers of each row. */
  copyPart(part: number, into: Int32Array | Uint16Array): void {
    for (let row = 0; row < into.length; row += PAGE_ROWS) {
      const page = this.pageOf(row)
      const count = Math.min(into.length - row, PAGE_ROWS)
      for (let own = 0, at = part; own < count; own++, at += this.width) into[row + own] = page[at] ?? 0
    }
  }

  /** The memory of the first rows, page by page. */
  *bytes(rows: number): Generator<Uint8Array, void, void> {
    for (let row = 0; row < rows; row += PAGE_ROWS)
      yield new Uint8Array(this.pageOf(row).buffer, 0, Math.min(rows - row, PAGE_ROWS) * this.width * 4)
  }

  /** Makes room for `rows` rows where there are none. `fill` writes the pieces of `bytes`, in the same sizes. */
  restore(rows: number, fill: (bytes: Uint8Array) => void): void {
    for (let row = 0; row < rows; row += PAGE_ROWS) this.#pages.push(new Int32Array(PAGE_ROWS * this.width))
    for (const bytes of this.bytes(rows)) fill(bytes)
    this.length = rows
  }

  /** The first page grows by doubling, because most sessions are short. Each further page is allocated whole. */
  #grow(number: number, before: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
    const rows = number > 0 ? PAGE_ROWS : Math.max(FIRST_ROWS, (before.length / this.width) * 2)
    const wider = rows === FIRST_ROWS ? zeros(rows * this.width) : new Int32Array(rows * this.width)
    wider.set(before)
    this.#pages[number] = wider
    return wider
  }

  /** Gives the memory of a few rows to the next that need it. Nothing is asked of these any more. */
  recycle(): void {
    const [first] = this.#pages
    if (first?.length === FIRST_ROWS * this.width) giveBack(first)
    this.#pages.length = 0
    this.length = 0
  }
}

const NO_PAGE = new Int32Array(0)

/** Where a row begins in its page. */
export function placeIn(row: number, width: number): number {
  return (row & ROW_IN_PAGE) * width
}

type Page = Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>

/** Stands in a page of differences for "not a number". */
const NO_NUMBER = -0x80000000

/**
 * Large numbers that are close together, such as offsets and times. A page stores 32-bit differences from its
 * base, unless one of them is too large.
 */
export class CloseColumn {
  length = 0
  readonly #pages: Page[] = [new Int32Array(FIRST_ROWS)]
  readonly #bases: number[] = []

  push(value: number): void {
    const number = this.length >>> PAGE_BITS
    const at = this.length & ROW_IN_PAGE
    let page = this.#pages[number]
    if (page === undefined || at >= page.length) page = this.#grow(number)
    if (page instanceof Int32Array && !Number.isNaN(value)) {
      this.#bases[number] ??= value
      const difference = value - (this.#bases[number] ?? value)
      if (difference !== (difference | 0) || difference === NO_NUMBER) page = this.#widen(number, page)
      else page[at] = difference
    }
    if (page instanceof Float64Array) page[at] = value
    else if (Number.isNaN(value)) page[at] = NO_NUMBER
    this.length++
  }

  get(row: number): number {
    const page = this.#pages[row >>> PAGE_BITS]
    const value = page?.[row & ROW_IN_PAGE] ?? 0
    if (page === undefined || page instanceof Float64Array) return value
    return value === NO_NUMBER ? Number.NaN : (this.#bases[row >>> PAGE_BITS] ?? 0) + value
  }

  #grow(number: number): Page {
    const before = this.#pages[number]
    const length = before === undefined ? PAGE_ROWS : before.length * 2
    const wider = before instanceof Float64Array ? new Float64Array(length) : new Int32Array(length)
    if (before !== undefined) wider.set(before)
    this.#pages[number] = wider
    return wider
  }

  #widen(number: number, page: Int32Array<ArrayBuffer>): Page {
    const first = number << PAGE_BITS
    const wide = Float64Array.from(page, (_, at) => this.get(first + at))
    this.#pages[number] = wide
    return wide
  }
}

export interface IdHash {
  a: number
  b: number
}

/**
 * Different for every index, so that nobody can craft a file whose ids collide. By chance, two of a million
 * ids collide once in ten million files.
 */
export type Seeds = IdHash

export function makeSeeds(): Seeds {
  return { a: Math.trunc(Math.random() * 0x7fffffff), b: Math.trunc(Math.random() * 0x7fffffff) }
}

/** Four characters at a time, or two where one of them has more than eight bits, and the length at the end. */
export function hashOf(id: string, seeds: Seeds): IdHash {
  let { a, b } = seeds
  let codes = 0
  for (let at = 0; at < id.length; at++) codes |= id.charCodeAt(at)
  const width = codes < 0x100 ? 4 : 2
  for (let at = 0; at <= id.length + width; at += width) {
    const word = at > id.length ? id.length : wordAt(id, at, width)
    a = Math.imul(a ^ word, 0x01000193)
    b = Math.imul(b ^ word, 0x85ebca6b)
    a ^= b >>> 15
    b ^= a >>> 13
  }
  a = Math.imul(a ^ (a >>> 16), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 13), 0x27d4eb2f)
  return { a: a | 0, b: (b ^ (a >>> 7)) | 0 }
}

function wordAt(id: string, start: number, width: number): number {
  let word = 0
  for (let at = Math.min(start + width, id.length) - 1; at >= start; at--)
    word = (word << (32 / width)) | id.charCodeAt(at)
  return word
}

export const EMPTY = -1

/** The load at which the table grows, and by how much. A large one would be left mostly empty by more. */
const MAX_LOAD = 0.7
const SMALL_GROWTH = 4
const GROWTH = 1.5
const SMALL_UP_TO = 64 * 1024

/** Maps a hash to the last row that was set for it. */
export class HashTable {
  readonly #rows: IntRows
  readonly #part: number
  readonly #isSet: (row: number) => boolean
  /** The row counted from 1, so that new memory is an empty table. */
  #slots = zeros(FIRST_ROWS * 2)
  #used = 0

  /** `rows` holds the hash of every row, as two numbers from `part` on. Rows that are not set are in no table. */
  constructor(rows: IntRows, part = 0, isSet = (_: number): boolean => true) {
    this.#rows = rows
    this.#part = part
    this.#isSet = isSet
  }

  /** Frees its memory. It is made again from the rows when it is next used. */
  release(): void {
    this.#slots.buffer.transfer(0)
    this.#slots = new Int32Array(0)
    this.#used = 0
  }

  /** Like that of rows. */
  recycle(): void {
    if (this.#slots.length === FIRST_ROWS * 2) giveBack(this.#slots)
    this.#slots = NO_PAGE
    this.#used = 0
  }

  /** Makes room for so many rows at once. */
  reserve(rows: number): void {
    if (this.#slots.length === 0) this.#restore()
    if (slotsFor(rows) > this.#slots.length) this.#grow(slotsFor(rows))
  }

  #restore(): void {
    const { length } = this.#rows
    this.#slots = new Int32Array(slotsFor(length))
    for (let row = 0; row < length; row++)
      if (this.#isSet(row)) this.set(this.#rows.get(row, this.#part), this.#rows.get(row, this.#part + 1), row)
  }

  find(a: number, b: number): number {
    if (this.#slots.length === 0) this.#restore()
    return (this.#slots[this.#slotOf(a, b)] ?? 0) - 1
  }

  /** Returns the previous row, or EMPTY. */
  set(a: number, b: number, row: number): number {
    if (this.#slots.length === 0) this.#restore()
    if (this.#used > this.#slots.length * MAX_LOAD) this.#grow()
    const slot = this.#slotOf(a, b)
    const before = (this.#slots[slot] ?? 0) - 1
    if (before === EMPTY) this.#used++
    this.#slots[slot] = row + 1
    return before
  }

  /** Returns the row that was set before, or EMPTY after setting this one. */
  setFirst(a: number, b: number, row: number): number {
    if (this.#slots.length === 0) this.#restore()
    if (this.#used > this.#slots.length * MAX_LOAD) this.#grow()
    const slot = this.#slotOf(a, b)
    const before = (this.#slots[slot] ?? 0) - 1
    if (before !== EMPTY) return before
    this.#used++
    this.#slots[slot] = row + 1
    return EMPTY
  }

  /** The slot of this hash, or the free slot where it would go. */
  #slotOf(a: number, b: number): number {
    const slots = this.#slots
    const rows = this.#rows
    for (let slot = this.#firstSlot(a); ; slot = slot + 1 === slots.length ? 0 : slot + 1) {
      const row = (slots[slot] ?? 0) - 1
      if (row === EMPTY) return slot
      const page = rows.pageOf(row)
      const place = placeIn(row, rows.width) + this.#part
      if (page[place] === a && page[place + 1] === b) return slot
    }
  }

  #firstSlot(a: number): number {
    return Math.trunc((a >>> 0) * (this.#slots.length / 0x100000000))
  }

  #grow(length = widerThan(this.#slots.length)): void {
    const before = this.#slots
    const slots = new Int32Array(length)
    this.#slots = slots
    for (const entry of before) {
      if (entry === 0) continue
      // All entries differ, so that nothing has to be compared.
      let slot = this.#firstSlot(this.#rows.get(entry - 1, this.#part))
      while (slots[slot] !== 0) slot = slot + 1 === slots.length ? 0 : slot + 1
      slots[slot] = entry
    }
    // Frees the memory now instead of at the next garbage collection.
    before.buffer.transfer(0)
  }
}

function slotsFor(rows: number): number {
  return Math.max(FIRST_ROWS * 2, Math.ceil(rows / MAX_LOAD) + 1)
}

function widerThan(slots: number): number {
  return Math.ceil(slots * (slots < SMALL_UP_TO ? SMALL_GROWTH : GROWTH))
}

/**
 * Maps ids to small numbers, counted from 0 in order of appearance. A caller then needs one bit for each id.
 */
export class Numbering {
  readonly hashes = new IntRows(2)
  readonly #rows = new HashTable(this.hashes)

  get length(): number {
    return this.hashes.length
  }

  /** Makes room for so many ids at once. */
  reserve(ids: number): void {
    this.#rows.reserve(ids)
  }

  /** Like that of rows. */
  recycle(): void {
    this.#rows.recycle()
    this.hashes.recycle()
  }

  /** Frees what is needed for new ids only. */
  release(): void {
    this.#rows.release()
  }

  numberOf(a: number, b: number): number {
    const number = this.hashes.length
    const known = this.#rows.setFirst(a, b, number)
    if (known !== EMPTY) return known
    this.hashes.push(a, b)
    return number
  }

  restore(length: number, fill: (bytes: Uint8Array) => void): void {
    this.hashes.restore(length, fill)
    for (let row = 0; row < length; row++) this.#rows.set(this.hashes.get(row, 0), this.hashes.get(row, 1), row)
  }
}
