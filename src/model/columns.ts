// Columns of numbers that grow, and a table that finds a row by the hash of an id.

type Numbers = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>
type NumbersOf = { new (length: number): Numbers }

const FIRST_ROWS = 64

export class Column {
  length = 0
  readonly #make: NumbersOf
  readonly #width: number
  #values: Numbers

  constructor(make: NumbersOf, width = 1) {
    this.#make = make
    this.#width = width
    this.#values = new make(FIRST_ROWS * width)
  }

  /** One row; as many numbers as the column is wide. */
  push(first: number, second = 0, third = 0): void {
    const at = this.length * this.#width
    if (at >= this.#values.length) this.#grow()
    this.#values[at] = first
    if (this.#width > 1) this.#values[at + 1] = second
    if (this.#width > 2) this.#values[at + 2] = third
    this.length++
  }

  get(row: number, part = 0): number {
    return this.#values[row * this.#width + part] ?? 0
  }

  set(row: number, value: number): void {
    this.#values[row * this.#width] = value
  }

  #grow(): void {
    const wider = new this.#make(this.#values.length * 2)
    wider.set(this.#values)
    this.#values = wider
  }
}

export interface IdHash {
  a: number
  b: number
}

/** Other in every process, so that no file can be made whose ids collide; of a million ids by chance, two collide once in ten million files. */
const SEED_A = Math.trunc(Math.random() * 0x7fffffff)
const SEED_B = Math.trunc(Math.random() * 0x7fffffff)

export function hashOf(id: string): IdHash {
  let a = SEED_A
  let b = SEED_B
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b)
    a ^= b >>> 15
    b ^= a >>> 13
  }
  a = Math.imul(a ^ (a >>> 16), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 13), 0x27d4eb2f)
  return { a: a | 0, b: (b ^ (a >>> 7)) | 0 }
}

const EMPTY = -1

/** From a hash to the last row that was set for it. */
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

  set(a: number, b: number, row: number): void {
    if (this.#used * 2 > this.#slots.length) this.#grow()
    const slot = this.#slotOf(a, b)
    if (this.#slots[slot] === EMPTY) this.#used++
    this.#slots[slot] = row
  }

  /** Where this hash is, or the free place where it would go. */
  #slotOf(a: number, b: number): number {
    const mask = this.#slots.length - 1
    for (let slot = a & mask; ; slot = (slot + 1) & mask) {
      const row = this.#slots[slot] ?? EMPTY
      if (row === EMPTY || (this.#hashes.get(row, 0) === a && this.#hashes.get(row, 1) === b)) return slot
    }
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 2).fill(EMPTY)
    for (const row of before)
      if (row !== EMPTY) this.#slots[this.#slotOf(this.#hashes.get(row, 0), this.#hashes.get(row, 1))] = row
  }
}
