// The links of a log as trees: where they run in a circle, and which record stands at the top of each. Every question is answered in one pass, whatever the file.
import type { RecordIndex } from '../../records/record-index.ts'
import { NONE } from '../../records/record-index.ts'

/** A record whose link counts: the last with its id, and of a kind that takes part in the conversation. */
export function isLinked(index: RecordIndex, record: number): boolean {
  if (!index.hasId(record) || index.isSuperseded(record)) return false
  const kind = index.kind(record)
  return kind === 'progress' || isConversation(index, record)
}

/** What a conversation is made of, and a broken link may be moved to. */
export function isConversation(index: RecordIndex, record: number): boolean {
  const kind = index.kind(record)
  return kind === 'talk' || kind === 'system' || kind === 'attachment'
}

/** For each circle the record at which it is cut. */
export function findCircles(index: RecordIndex): number[] {
  const cuts: number[] = []
  // By the walk on which a record was met first.
  const walks = new Int32Array(index.length)
  for (let start = 0, walk = 1; start < index.length; start++, walk++) {
    let at = start
    for (; at !== NONE && walks[at] === 0; at = index.parent(at)) walks[at] = walk
    if (at === NONE || walks[at] !== walk) continue
    const cut = findCut(index, at)
    if (cut !== NONE) cuts.push(cut)
  }
  return cuts.sort((a, b) => a - b)
}

/**
 * The record of the circle whose parent comes after it in the file, as at least one does. Where several do, one whose parent is also later by the clock; then the first.
 * A record that begins a new part of the conversation is left as it is.
 */
function findCut(index: RecordIndex, member: number): number {
  let cut = NONE
  let at = member
  do {
    const parent = index.parent(at)
    if (parent >= at && isLinked(index, at) && (cut === NONE || isWorse(index, at, cut))) cut = at
    at = parent
  } while (at !== member)
  return cut
}

function isWorse(index: RecordIndex, one: number, other: number): boolean {
  const [isLate, isOtherLate] = [isBeforeParent(index, one), isBeforeParent(index, other)]
  return isLate === isOtherLate ? one < other : isLate
}

function isBeforeParent(index: RecordIndex, record: number): boolean {
  const parent = index.parent(record)
  return parent === record || index.time(record) < index.time(parent)
}

/** The trees that are left when some links are cut, and how they grow together again as the cut records find new parents. */
export class Forest {
  readonly #tops: Int32Array

  constructor(index: RecordIndex, cuts: ReadonlySet<number>) {
    this.#tops = new Int32Array(index.length).fill(NONE)
    const path: number[] = []
    for (let start = 0; start < index.length; start++) {
      let at = start
      path.length = 0
      while (this.#tops[at] === NONE) {
        path.push(at)
        // Marked at once, so that a circle that could not be cut ends where it began.
        this.#tops[at] = at
        const parent = cuts.has(at) ? NONE : index.parent(at)
        if (parent === NONE) break
        at = parent
      }
      const top = this.#tops[at] ?? at
      for (const record of path) this.#tops[record] = top
    }
  }

  /** The record that everything of the same tree descends from. */
  top(record: number): number {
    let top = record
    while (this.#tops[top] !== top) top = this.#tops[top] ?? top
    for (let at = record; at !== top; ) {
      const next = this.#tops[at] ?? top
      this.#tops[at] = top
      at = next
    }
    return top
  }

  /** `record` is at the top of its tree; from now on it hangs on `parent`. */
  join(record: number, parent: number): void {
    this.#tops[record] = this.top(parent)
  }
}
