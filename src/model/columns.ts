// Growing columns of numbers, and tables that find a row by the hash of an id.

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
  readonly #width: number
  readonly #pages: Numbers[]

  constructor(make: NumbersOf, width = 1) {
    this.#make = make
    this.#width = width
    this.#pages = [new make(FIRST_ROWS * width)]
  }

  /** Adds one row, with as many numbers as the column is wide. */
  push(first: number, second = 0): void {
    const row = this.length
    const at = (row & ROW_IN_PAGE) * this.#width
    let page = this.#pages[row >>> PAGE_BITS]
    if (page === undefined || at >= page.length) page = this.#grow(row >>> PAGE_BITS)
    page[at] = first
    if (this.#width > 1) page[at + 1] = second
    this.length = row + 1
  }

  get(row: number, part = 0): number {
    return this.#pages[row >>> PAGE_BITS]?.[(row & ROW_IN_PAGE) * this.#width + part] ?? 0
  }

  set(row: number, value: number): void {
    const page = this.#pages[row >>> PAGE_BITS]
    if (page !== undefined) page[(row & ROW_IN_PAGE) * this.#width] = value
  }

  /** The memory of the first rows, page by page. */
  *bytes(rows: number): Generator<Uint8Array, void, void> {
    for (let row = 0; row < rows; row += PAGE_ROWS) {
      const page = this.#pages[row >>> PAGE_BITS]
      const numbers = Math.min(rows - row, PAGE_ROWS) * this.#width
      if (page !== undefined) yield new Uint8Array(page.buffer, 0, numbers * page.BYTES_PER_ELEMENT)
    }
  }

  /**
   * Makes room for `rows` rows in an empty column. `fill` writes the pieces of `bytes`, in the same sizes.
   */
  restore(rows: number, fill: (bytes: Uint8Array) => void): void {
    for (let row = 0; row < rows; row += PAGE_ROWS)
      this.#pages[row >>> PAGE_BITS] = new this.#make(PAGE_ROWS * this.#width)
    for (const bytes of this.bytes(rows)) fill(bytes)
    this.length = rows
  }

  /**
   * The first page grows by doubling, because most sessions are short. Each further page is allocated whole.
   */
  #grow(number: number): Numbers {
    const before = this.#pages[number]
    const wider = new this.#make(before === undefined ? PAGE_ROWS * this.#width : before.length * 2)
    if (before !== undefined) wider.set(before)
    this.#pages[number] = wider
    return wider
  }
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

  /** The first rows in the form of a plain column, page by page. */
  *bytes(rows: number): Generator<Uint8Array, void, void> {
    const page = new Float64Array(PAGE_ROWS)
    for (let row = 0; row < rows; row += PAGE_ROWS) {
      const count = Math.min(rows - row, PAGE_ROWS)
      for (let at = 0; at < count; at++) page[at] = this.get(row + at)
      yield new Uint8Array(page.buffer, 0, count * page.BYTES_PER_ELEMENT)
    }
  }

  /** Restores an empty column from the pieces of `bytes`, in the same sizes. */
  restore(rows: number, fill: (bytes: Uint8Array) => void): void {
    const page = new Float64Array(PAGE_ROWS)
    for (let row = 0; row < rows; row += PAGE_ROWS) {
      const count = Math.min(rows - row, PAGE_ROWS)
      fill(new Uint8Array(page.buffer, 0, count * page.BYTES_PER_ELEMENT))
      for (const value of page.subarray(0, count)) this.push(value)
    }
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

/** The load at which the table grows, and by how much. Doubling would leave most of it empty. */
const MAX_LOAD = 0.7
const GROWTH = 1.5

/** Maps a hash to the last row that was set for it. */
export class HashTable {
  readonly #hashes: Column
  #slots: Int32Array<ArrayBuffer> = new Int32Array(FIRST_ROWS * 2).fill(EMPTY)
  #used = 0

  /** `hashes` holds the hash of every row, two numbers wide. */
  constructor(hashes: Column) {
    this.#hashes = hashes
  }

  find(a: number, b: number): number {
    return this.#slots[this.#slotOf(a, b)] ?? EMPTY
  }

  /** Returns the previous row, or EMPTY. */
  set(a: number, b: number, row: number): number {
    if (this.#used > this.#slots.length * MAX_LOAD) this.#grow()
    const slot = this.#slotOf(a, b)
    const before = this.#slots[slot] ?? EMPTY
    if (before === EMPTY) this.#used++
    this.#slots[slot] = row
    return before
  }

  /** The slot of this hash, or the free slot where it would go. */
  #slotOf(a: number, b: number): number {
    const { length } = this.#slots
    for (let slot = Math.trunc(((a >>> 0) / 0x100000000) * length); ; slot = slot + 1 === length ? 0 : slot + 1) {
      const row = this.#slots[slot] ?? EMPTY
      if (row === EMPTY || (this.#hashes.get(row, 0) === a && this.#hashes.get(row, 1) === b)) return slot
    }
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Int32Array(Math.ceil(before.length * GROWTH)).fill(EMPTY)
    for (const row of before)
      if (row !== EMPTY) this.#slots[this.#slotOf(this.#hashes.get(row, 0), this.#hashes.get(row, 1))] = row
    // Frees the memory now instead of at the next garbage collection.
    before.buffer.transfer(0)
  }
}

/**
 * Maps ids to small numbers, counted from 0 in order of appearance. A caller then needs one bit for each id.
 */
export class Numbering {
  readonly hashes = new Column(Int32Array, 2)
  readonly #rows = new HashTable(this.hashes)

  get length(): number {
    return this.hashes.length
  }

  numberOf(a: number, b: number): number {
    const known = this.#rows.find(a, b)
    if (known !== EMPTY) return known
    this.hashes.push(a, b)
    this.#rows.set(a, b, this.length - 1)
    return this.length - 1
  }

  restore(length: number, fill: (bytes: Uint8Array) => void): void {
    this.hashes.restore(length, fill)
    for (let row = 0; row < length; row++) this.#rows.set(this.hashes.get(row, 0), this.hashes.get(row, 1), row)
  }
}
