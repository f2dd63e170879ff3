// Finds candidates for equality by two numbers of each thing, such as a checksum and a length. The caller
// must prove that they are equal.
import { EMPTY, HashTable, IntRows } from './columns.ts'

export class DuplicateCandidates {
  /** The two numbers, and the previous row with the same. */
  readonly #keys = new IntRows(3)
  readonly #table = new HashTable(this.#keys)

  /** Adds a row. Returns the last row with the same numbers, or EMPTY. `before` leads to the earlier ones. */
  add(first: number, second: number): number {
    const [a, b] = [mix(first, second), second | 0]
    const row = this.#keys.length
    this.#keys.push(a, b)
    const before = this.#table.set(a, b, row)
    this.#keys.set(row, 2, before)
    return before
  }

  before(row: number): number {
    return row === EMPTY ? EMPTY : this.#keys.get(row, 2)
  }
}

/** Spreads two numbers over all bits of one. */
export function mix(first: number, second: number): number {
  const low = Math.imul((first % 0x100000000) ^ Math.imul(second, 0x27d4eb2f), 0x85ebca6b)
  const mixed = Math.imul(low ^ (low >>> 15) ^ Math.trunc(first / 0x100000000), 0xc2b2ae35)
  return mixed ^ (mixed >>> 13)
}
