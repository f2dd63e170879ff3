// The sessions in one order. After a change only added, removed and moved sessions are sorted and merged in.
import type { Entries } from './entries.ts'
import type { Mode, Placed } from './order.ts'
import { comparison, place } from './order.ts'

export class Ordered {
  readonly #entries: Entries
  readonly #mode: Mode
  readonly #titleOf: (agent: string) => string
  #placed: Placed[] = []
  /** How many changes of the entries it includes. */
  #upTo = -1

  constructor(entries: Entries, mode: Mode, titleOf: (agent: string) => string) {
    this.#entries = entries
    this.#mode = mode
    this.#titleOf = titleOf
  }

  list(): readonly Placed[] {
    if (this.#upTo === this.#entries.structure) return this.#placed
    const moved = this.#entries.movedSince(this.#upTo)
    this.#placed = moved === undefined ? this.#sorted(this.#entries.all()) : this.#merged(moved)
    this.#upTo = this.#entries.structure
    return this.#placed
  }

  #merged(moved: ReadonlySet<string>): Placed[] {
    const compare = comparison(this.#mode)
    const coming = this.#sorted([...moved].flatMap(key => this.#entries.get(key) ?? []))
    const merged: Placed[] = []
    let next = 0
    for (const placed of this.#placed) {
      if (moved.has(placed.key)) continue
      for (let at = coming[next]; at !== undefined && compare(at, placed) < 0; at = coming[++next]) merged.push(at)
      merged.push(placed)
    }
    return [...merged, ...coming.slice(next)]
  }

  #sorted(entries: Iterable<Parameters<typeof place>[0]>): Placed[] {
    return Array.from(entries, entry => place(entry, this.#mode, this.#titleOf)).sort(comparison(this.#mode))
  }
}
