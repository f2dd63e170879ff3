// A small number for each id of one log, by the hash of the id. Its memory is used again for the next log, so that
// nothing is allocated for a log of the usual length.

const FIRST_PLACES = 256
/** The hash, the number, and the log that it belongs to. */
const WIDTH = 4

export class IdStates {
  #table = new Int32Array(FIRST_PLACES * WIDTH)
  #log = 1
  #count = 0

  /** Before another log. */
  clear(): void {
    this.#log++
    this.#count = 0
  }

  /** Returns the number that was set before, or 0. */
  swap(a: number, b: number, state: number): number {
    const table = this.#table
    const at = placeOf(table, a, b, this.#log)
    if (table[at + 3] === this.#log) {
      const before = table[at + 2] as number
      table[at + 2] = state
      return before
    }
    table[at] = a
    table[at + 1] = b
    table[at + 2] = state
    table[at + 3] = this.#log
    if (++this.#count * WIDTH * 2 > table.length) this.#grow()
    return 0
  }

  #grow(): void {
    const before = this.#table
    const table = new Int32Array(before.length * 4)
    for (let from = 0; from < before.length; from += WIDTH) {
      if (before[from + 3] !== this.#log) continue
      const at = placeOf(table, before[from] as number, before[from + 1] as number, this.#log)
      table.set(before.subarray(from, from + WIDTH), at)
    }
    this.#table = table
  }
}

/** Where the id is, or where it would go. */
function placeOf(table: Int32Array, a: number, b: number, log: number): number {
  const last = table.length - 1
  for (let at = (a * WIDTH) & last; ; at = (at + WIDTH) & last)
    if (table[at + 3] !== log || (table[at] === a && table[at + 1] === b)) return at
}
