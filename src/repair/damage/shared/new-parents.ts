// Chooses the new parent of a record whose link is broken: the nearest earlier record of the conversation on
// the same lane. Never across a compaction, and never a descendant of the record itself.
import type { RecordIndex } from '../../records/record-index.ts'
import { KIND, kindFlag, NONE, SIDECHAIN } from '../../records/record-index.ts'
import { Forest, isConversationRecord, isLinked, isLinkedBy, PROGRESS } from './link-forest.ts'

const [TALK, BOUNDARY] = [kindFlag('talk'), kindFlag('boundary')]

/**
 * How far back to search where the records right before it are its descendants. No agent writes children that
 * early.
 */
const MAX_SEARCHED_RECORDS = 1000

export interface ParentChoice {
  /** The new parent of each broken record; NONE where no record precedes it. */
  parents: Map<number, number>
  /**
   * Records whose own link keeps another record from its nearest parent, and that is wrong both by file order
   * and by time.
   */
  wrong: number[]
}

export function chooseParents(index: RecordIndex, broken: readonly number[]): ParentChoice {
  const parents = new Map<number, number>()
  const wrong = new Set<number>()
  const wanted = new Set(broken)
  const forest = new Forest(index, wanted)
  const calls = callsOf(index, wanted)
  const lanes = [new Lane(index), new Lane(index)] as const
  const { flags, parents: named } = index
  // Asked for every record of a long log.
  const isWanted = new Uint8Array(flags.length)
  for (const record of broken) isWanted[record] = 1
  for (let record = 0; record < flags.length; record++) {
    const own = flags[record] ?? 0
    const lane = lanes[(own & SIDECHAIN) === 0 ? 0 : 1]
    if (isWanted[record] === 1) {
      const isOpen = (candidate: number): boolean => forest.top(candidate) !== record
      const end = lane.end(record, isOpen)
      const call = calls.get(record)
      const isOnCall = call !== undefined && lane.holds(call, record) && isOpen(call)
      const parent = isOnCall && !leadsTo(index, end, call, parents) ? call : end
      if (lane.nearest !== NONE && !isOpen(lane.nearest)) {
        const suspect = findWrong(index, lane.nearest, record, parents)
        if (suspect !== NONE) wrong.add(suspect)
      }
      parents.set(record, parent)
      if (parent !== NONE) forest.join(record, parent)
    }
    if ((own & KIND) === BOUNDARY) for (const each of lanes) each.begin(record)
    else lane.add(record, own, (isWanted[record] === 1 ? parents.get(record) : named[record]) ?? NONE)
  }
  return { parents, wrong: [...wrong] }
}

/**
 * A link on the way from an earlier record to `record` that points to a later one, in the file and by time.
 */
function findWrong(index: RecordIndex, from: number, record: number, chosen: ReadonlyMap<number, number>): number {
  let at = from
  for (let steps = 0; at !== NONE && at !== record && steps < MAX_SEARCHED_RECORDS; steps++) {
    const parent = chosen.get(at) ?? index.parent(at)
    if (parent > at && index.time(parent) > index.time(at) && isLinked(index, at)) return at
    at = parent
  }
  return NONE
}

/** Whether the way back from one record leads to another nearby. */
function leadsTo(index: RecordIndex, from: number, to: number, chosen: ReadonlyMap<number, number>): boolean {
  let at = from
  for (let steps = 0; at !== NONE && at !== to && steps < MAX_SEARCHED_RECORDS; steps++)
    at = chosen.get(at) ?? index.parent(at)
  return at === to
}

/**
 * The parent of a result is its call, unless the record before it already has that parent: some versions
 * chain the results of several calls.
 */
function callsOf(index: RecordIndex, wanted: ReadonlySet<number>): Map<number, number> {
  const records = new Map<number, number>()
  const calls = new Map<number, number>()
  index.eachTool((record, isResult, key) => {
    if (index.isSuperseded(record)) return
    if (!isResult) records.set(key, record)
    else if (wanted.has(record)) {
      const call = records.get(key)
      if (call !== undefined) calls.set(record, call)
    }
  })
  return calls
}

/** The state of one lane during the pass: the parent that a record at this position would get. */
class Lane {
  readonly #index: RecordIndex
  /** The first record of the last compaction. */
  #boundary = NONE
  /** The last message, and the last note after it that leads back to it. */
  #talk = NONE
  #note = NONE
  /** For notes after a message: the last message before them. */
  readonly #talkBefore = new Map<number, number>()

  constructor(index: RecordIndex) {
    this.#index = index
  }

  begin(boundary: number): void {
    this.#boundary = boundary
    this.#talk = NONE
    this.#note = NONE
    this.#talkBefore.clear()
  }

  /** `flags` are those of the record. */
  add(record: number, flags: number, parent: number): void {
    if (!isLinkedBy(flags) || (flags & KIND) === PROGRESS) return
    if ((flags & KIND) === TALK) {
      this.#talk = record
      this.#note = NONE
      this.#talkBefore.clear()
      return
    }
    // A note on a much earlier message cannot be a parent.
    const last = this.#talk === NONE ? this.#boundary : this.#talk
    if (parent !== last && this.#talkBefore.get(parent) !== last) return
    this.#talkBefore.set(record, last)
    this.#note = record
  }

  /** Whether a call is after the last compaction and on the lane of its result. */
  holds(call: number, result: number): boolean {
    return call > this.#boundary && this.#index.isSidechain(call) === this.#index.isSidechain(result)
  }

  /** The last message, or a note after it. */
  get nearest(): number {
    return this.#note === NONE ? this.#talk : this.#note
  }

  /** The record that the conversation has reached before `record`. */
  end(record: number, isOpen: (candidate: number) => boolean): number {
    const { nearest } = this
    if (nearest !== NONE && isOpen(nearest)) return nearest
    return nearest === NONE ? this.#begin(record, isOpen) : this.#searchBack(record, nearest, isOpen)
  }

  #searchBack(record: number, from: number, isOpen: (candidate: number) => boolean): number {
    const index = this.#index
    const last = Math.max(this.#boundary, from - MAX_SEARCHED_RECORDS)
    let note = NONE
    for (let at = from - 1; at > last; at--) {
      if (index.isSidechain(at) !== index.isSidechain(record) || !isLinked(index, at)) continue
      if (!isConversationRecord(index, at) || !isOpen(at)) continue
      if (index.kind(at) === 'talk') return note !== NONE && index.parent(note) === at ? note : at
      if (note === NONE) note = at
    }
    return this.#begin(record, isOpen)
  }

  #begin(record: number, isOpen: (candidate: number) => boolean): number {
    const boundary = this.#boundary
    const isOwn = boundary !== NONE && this.#index.isSidechain(boundary) === this.#index.isSidechain(record)
    return isOwn && this.#index.hasId(boundary) && isOpen(boundary) ? boundary : NONE
  }
}
