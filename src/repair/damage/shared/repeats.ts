// Finds records that are in a log twice, as in a log that was appended again. They are found as runs, so that
// a whole copy is one finding.
import type { LogView, RepeatRepair } from '../../../agents/repair.ts'
import { withoutBlanks } from '../../../bytes/text.ts'
import { DuplicateCandidates, mix } from '../../../model/duplicate-candidates.ts'
import type { RecordIndex } from '../../records/record-index.ts'
import { NONE, SUPERSEDED } from '../../records/record-index.ts'
import type { LogSubject } from '../damage.ts'

/** The records from `first` to `last` of the visible index are copies of those from `of` on. */
export interface RepeatedRun {
  first: number
  last: number
  of: number
}

export interface Repeats {
  runs: RepeatedRun[]
  /** The number of messages a resume loads from the log as it is, and without the runs. */
  loads: { now: number; without: number }
}

const known = new WeakMap<LogView, Repeats>()

const NO_REPEATS: Repeats = { runs: [], loads: { now: 0, without: 0 } }

/**
 * Returns certain copies that matter: several records of the conversation, or one record that changes what is
 * loaded.
 */
export function findRepeats(subject: LogSubject): Repeats {
  const { repair } = subject
  if (repair.repeats === undefined) return NO_REPEATS
  const found = known.get(subject) ?? judge(subject, findRuns(subject, repair.repeats), repair.repeats)
  known.set(subject, found)
  return found
}

/** Whether an offset is inside a run of more than one record. */
export function isInRun(subject: LogSubject, start: number): boolean {
  const { visible } = subject
  return findRepeats(subject).runs.some(
    ({ first, last }) => last > first && visible.start(first) <= start && start < visible.end(last),
  )
}

function judge(subject: LogSubject, runs: readonly RepeatedRun[], repeats: RepeatRepair): Repeats {
  if (runs.length === 0) return NO_REPEATS
  const { messages: now } = subject.repair.load(subject)
  const isStrong = (run: RepeatedRun): boolean => countUnique(subject, run, repeats) > 1 || isEndOfBranch(subject, run)
  const strong = runs.filter(isStrong)
  const withoutStrong = loadWithout(subject, strong, runs)
  const withoutAll = strong.length === runs.length ? withoutStrong : loadWithout(subject, runs, runs)
  const isSame = isSameLoad(withoutStrong, withoutAll)
  const { messages } = isSame ? withoutStrong : withoutAll
  return { runs: isSame ? strong : [...runs], loads: { now, without: messages } }
}

function countUnique(log: LogView, { first, last }: RepeatedRun, repeats: RepeatRepair): number {
  let count = 0
  for (let record = first; record <= last && count < 2; record++) if (repeats.isUnique(log, record)) count++
  return count
}

/** In a linked log, the last record decides which branch the conversation is on. */
function isEndOfBranch({ traits, visible }: LogSubject, { last }: RepeatedRun): boolean {
  if (!traits.linkedByParent) return false
  for (let record = last + 1; record < visible.length; record++) if (visible.kind(record) === 'talk') return false
  return true
}

interface WouldLoad {
  messages: number
  /** The offsets of the records that would be loaded; for a copy, the offset of the original. */
  starts: number[]
}

function isSameLoad(one: WouldLoad, other: WouldLoad): boolean {
  return (
    one.messages === other.messages &&
    one.starts.length === other.starts.length &&
    one.starts.every((start, place) => start === other.starts[place])
  )
}

function loadWithout(subject: LogSubject, gone: readonly RepeatedRun[], runs: readonly RepeatedRun[]): WouldLoad {
  const isGone = new Uint8Array(subject.visible.length)
  for (const { first, last } of gone) isGone.fill(1, first, last + 1)
  const visible = subject.visible.only(record => isGone[record] !== 1)
  const { messages, chain } = subject.repair.load({ ...subject, index: visible, visible })
  const originals = new Map<number, number>()
  for (const { first, last, of } of runs)
    for (let record = first; record <= last && isGone[record] !== 1; record++)
      originals.set(subject.visible.start(record), subject.visible.start(of + record - first))
  const starts = Array.from(chain, record => visible.start(record))
  return { messages, starts: starts.map(start => originals.get(start) ?? start) }
}

/** Every run with at least one record that can only be a copy. */
function findRuns(log: LogView, repeats: RepeatRepair): RepeatedRun[] {
  const { flags } = log.visible
  if (repeats.needsId === true && !flags.some(own => (own & SUPERSEDED) !== 0)) return []
  const finder = new RunFinder(log, repeats)
  const mayRepeat = findAlike(log)
  for (let record = 0; record < flags.length; record++)
    if (finder.isFollowing || mayRepeat(record) || ((flags[record] ?? 0) & SUPERSEDED) !== 0) finder.add(record)
  return finder.runs
}

/** Bits for each record: more of them let fewer records pass that nothing is alike. */
const BITS_PER_RECORD = 8

/** Whether another record may have the same time and length. Nearly all records of a log are alone with theirs. */
function findAlike({ visible }: LogView): (record: number) => boolean {
  const bits = 2 ** Math.ceil(Math.log2(Math.max(32, visible.length * BITS_PER_RECORD)))
  const once = new Int32Array(bits / 32)
  const twice = new Int32Array(bits / 32)
  const bitOf = (record: number): number => mix(timeOf(visible, record), visible.size(record)) & (bits - 1)
  for (let record = 0; record < visible.length; record++) {
    const bit = bitOf(record)
    const word = bit >>> 5
    const mask = 1 << (bit & 31)
    if (((once[word] ?? 0) & mask) !== 0) twice[word] = (twice[word] ?? 0) | mask
    once[word] = (once[word] ?? 0) | mask
  }
  return record => {
    const bit = bitOf(record)
    return ((twice[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0
  }
}

function timeOf(visible: RecordIndex, record: number): number {
  const time = visible.time(record)
  return Number.isNaN(time) ? 0 : time
}

/** The limit of equal-looking records that are compared. Records without times can be any number. */
const MAX_COMPARED = 8

class RunFinder {
  readonly runs: RepeatedRun[] = []
  readonly #log: LogView
  readonly #repeats: RepeatRepair
  readonly #alike = new DuplicateCandidates()
  /** The record of each row in `#alike`. */
  readonly #records: number[] = []
  /** The first record with a repeated id, by the last record with that id. */
  readonly #firstOf = new Map<number, number>()
  #open: RepeatedRun | undefined

  constructor(log: LogView, repeats: RepeatRepair) {
    this.#log = log
    this.#repeats = repeats
  }

  /** The next record may continue a run, or be the copy of one with the same id. */
  get isFollowing(): boolean {
    return this.#open !== undefined || this.#firstOf.size > 0
  }

  add(record: number): void {
    const open = this.#open
    const isUnique = this.#repeats.isUnique(this.#log, record)
    const alike = isUnique ? this.#addAlike(record) : NONE
    const first = isUnique ? this.#firstWithId(record) : NONE
    if (open !== undefined && this.#isSame(open.of + record - open.first, record)) {
      open.last = record
      return
    }
    this.#open = undefined
    const original = this.#originalOf(record, alike, first)
    if (original !== NONE) this.#begin(record, original)
  }

  #begin(record: number, of: number): void {
    const run: RepeatedRun = { first: record, last: record, of }
    const before = this.runs.at(-1)?.last ?? NONE
    // Records before the first certain copy, such as a header, may be copies as well.
    while (run.of > 0 && run.first - 1 > Math.max(before, of) && this.#isSameBytes(run.of - 1, run.first - 1)) {
      run.first--
      run.of--
    }
    this.#open = run
    this.runs.push(run)
  }

  #originalOf(record: number, alike: number, first: number): number {
    if (first !== NONE && this.#isSame(first, record)) return first
    let row = alike
    let original = NONE
    for (let compared = 0; row !== NONE && compared < MAX_COMPARED; compared++, row = this.#alike.before(row)) {
      const candidate = this.#records[row] ?? NONE
      if (candidate !== NONE && this.#isSameBytes(candidate, record)) original = candidate
    }
    return original
  }

  #addAlike(record: number): number {
    const { visible } = this.#log
    this.#records.push(record)
    return this.#alike.add(timeOf(visible, record), visible.size(record))
  }

  #firstWithId(record: number): number {
    const { visible } = this.#log
    if (!visible.hasId(record)) return NONE
    const last = visible.latest(record)
    const first = this.#firstOf.get(last)
    if (first === undefined && last !== record) this.#firstOf.set(last, record)
    return first ?? NONE
  }

  #isSame(first: number, second: number): boolean {
    if (first >= second) return false
    if (this.#isSameBytes(first, second)) return true
    const { visible } = this.#log
    const haveSameId = visible.hasId(first) && visible.hasId(second) && visible.latest(first) === visible.latest(second)
    return haveSameId && this.#repeats.isSame?.(this.#log, first, second) === true
  }

  #isSameBytes(first: number, second: number): boolean {
    const { visible, bytes } = this.#log
    if (visible.kind(first) !== visible.kind(second)) return false
    const rangeOf = (record: number): Buffer => bytes.range(visible.start(record), visible.end(record))
    if (visible.size(first) === visible.size(second)) return rangeOf(first).equals(rangeOf(second))
    // Another repair may have blanked a torn record before one of them.
    return withoutBlanks(rangeOf(first)).equals(withoutBlanks(rangeOf(second)))
  }
}
