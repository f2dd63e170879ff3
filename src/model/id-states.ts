// A small number for each id of one log, by the hash of the id. Its memory is used again for the next log, so that
// nothing is allocated for a log of the usual length.

const FIRST_PLACES = 256
/** Of a place: the hash, and the number together with the log that it belongs to. */
const WIDTH = 3
const STATES = 4
/** So many logs until the numbers of logs start again, in an empty table. */
const MAX_LOGS = 2 ** 29

export class IdStates {
  #table = new Int32Array(FIRST_PLACES * WIDTH)
  #places = FIRST_PLACES
  #log = 1
  #count = 0

  /** Before another log. */
  clear(): void {
    this.#count = 0
    if (++this.#log < MAX_LOGS) return
    this.#table.fill(0)
    this.#log = 1
  }

  /** `state` is 1, 2 or 3. Returns the number that was set before, or 0. */
  swap(a: number, b: number, state: number): number {
    const table = this.#table
    const at = this.#placeOf(a, b)
    const before = table[at + 2] as number
    const own = this.#log * STATES
    table[at + 2] = own + state
    if (before >= own) return before - own
    table[at] = a
    table[at + 1] = b
    if (++this.#count * 2 > this.#places) this.#grow()
    return 0
  }

  #grow(): void {
    const before = this.#table
    this.#places *= 2
    this.#table = new Int32Array(this.#places * WIDTH)
    for (let from = 0; from < before.length; from += WIDTH) {
      if ((before[from + 2] as number) < this.#log * STATES) continue
      const at = this.#placeOf(before[from] as number, before[from + 1] as number)
      for (let part = 0; part < WIDTH; part++) this.#table[at + part] = before[from + part] as number
    }
  }

  /** Where the id is, or where it would go. */
  #placeOf(a: number, b: number): number {
    const table = this.#table
    const last = this.#places - 1
    for (let place = a & last; ; place = (place + 1) & last) {
      const at = place * WIDTH
      if ((table[at + 2] as number) < this.#log * STATES || (table[at] === a && table[at + 1] === b)) return at
    }
  }
}
