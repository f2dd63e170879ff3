// The links of a log as trees: where they form cycles, and which record is the root of each tree. Every
// answer takes one pass over the records.
import type { RecordIndex } from '../../records/record-index.ts'
import { HAS_ID, KIND, kindFlag, NONE, SUPERSEDED } from '../../records/record-index.ts'

/** A record whose link counts: the last with its id, and of a kind that takes part in the conversation. */
export function isLinked(index: RecordIndex, record: number): boolean {
  return isLinkedBy(index.flags[record] ?? 0)
}

/** The same by the flags of the record. */
export function isLinkedBy(flags: number): boolean {
  if ((flags & (HAS_ID | SUPERSEDED)) !== HAS_ID) return false
  const kind = flags & KIND
  return kind === TALK || kind === SYSTEM || kind === ATTACHMENT || kind === PROGRESS
}

const [TALK, SYSTEM, ATTACHMENT] = [kindFlag('talk'), kindFlag('system'), kindFlag('attachment')]
export const PROGRESS = kindFlag('progress')

/** A record that is part of the conversation and can be the new target of a broken link. */
export function isConversationRecord(index: RecordIndex, record: number): boolean {
  const kind = (index.flags[record] ?? 0) & KIND
  return kind === TALK || kind === SYSTEM || kind === ATTACHMENT
}

/** For each cycle, the record at which it is cut. */
export function findCycles(index: RecordIndex): number[] {
  const cuts: number[] = []
  // For each record, the walk that reached it first.
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
 * Picks the record of the cycle whose parent comes later in the file; there is at least one. Of several, one
 * whose parent also has a later time; otherwise the first. A record that starts a new part of the
 * conversation is left as it is.
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

/**
 * The trees that remain when some links are cut, and how they grow together as cut records get new parents.
 */
export class Forest {
  readonly #tops: Int32Array

  constructor(index: RecordIndex, cuts: ReadonlySet<number>) {
    const { parents } = index
    const tops = new Int32Array(parents.length).fill(NONE)
    const path: number[] = []
    for (let start = 0; start < tops.length; start++) {
      let at = start
      path.length = 0
      while (tops[at] === NONE) {
        path.push(at)
        // Marked at once, so that a cycle that could not be cut ends at its start.
        tops[at] = at
        const parent = cuts.has(at) ? NONE : (parents[at] ?? NONE)
        if (parent === NONE) break
        at = parent
      }
      const top = tops[at] ?? at
      for (const record of path) tops[record] = top
    }
    this.#tops = tops
  }

  /** The root of the tree that holds the record. */
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

  /** `record` must be the root of its tree; it becomes a child of `parent`. */
  join(record: number, parent: number): void {
    this.#tops[record] = this.top(parent)
  }
}
