// The storage of a record index: one row of about forty bytes for each record, whatever its size.
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { NUMBERS_PER_SLOT } from '../../bytes/scanner/kernel.ts'
import type { Seeds } from '../../model/columns.ts'
import { EMPTY, HashTable, hashOf, IntRows, makeSeeds, Numbering, placeIn } from '../../model/columns.ts'
import type { RecordFacts } from './record-facts.ts'
import { flagsOf, HAS_ID, NAMES_PARENT, SUPERSEDED, WHOLE } from './record-flags.ts'
import type { ShapeFacts, Source } from './record-shape.ts'
import { NO_SLOT } from './record-shape.ts'

export const NO_NUMBER = -1

/** The sizes at one point of the pass. The rows up to there can be stored, and a later pass can continue. */
export interface RowsMark {
  rows: number
  tools: number
  names: number
  awaited: number
  version: string | undefined
}

/** The numbers of one row. */
const [START, LENGTH, FLAGS, TIME, ID, PARENT, GROUP, ROW_NUMBERS] = [0, 1, 2, 3, 4, 6, 7, 8] as const
const BYTES_PER_ROW = ROW_NUMBERS * 4
const BYTES_PER_PAIR = 8

/** What is above 32 bits of a time is stored above the flags. */
const HIGH = 0x100000000
const HIGH_SHIFT = 16
/** The flags and the kind, below the upper part of the time. */
const OWN_FLAGS = 0xffff
const MAX_HIGH = 0x7fff
/** Instead of it: there is no time, or it is in `#farTimes`. */
const NO_HIGH = -0x8000
const [NO_TIME, FAR_TIME] = [0, 1] as const

/** Fills the given array with the next bytes. */
export type Fill = (bytes: Uint8Array) => void

export class RecordRows {
  readonly seeds: Seeds
  /** The agent's version in the last record that states one. */
  version: string | undefined
  readonly targets = new Map<number, string>()
  /**
   * For each record:
   * - the lower half of its place, its length, flags, time, and the hash of its id
   * - usually an earlier row with the parent's id; where there was none yet, ~row in `#awaited`, which holds the hash
   *   of that id
   * - the number of the group, counted from 1; 0 for none
   */
  readonly #rows = new IntRows(ROW_NUMBERS)
  readonly #byId = new HashTable(this.#rows, ID, row => this.has(row, HAS_ID))
  /** The first rows at or after each four gigabytes of the log. */
  readonly #borders: number[] = []
  /** Times before or after several thousand years, or with a fraction. */
  readonly #farTimes = new Map<number, number>()
  readonly #awaited = new IntRows(2)
  /** Calls and results in file order: the record, then the number of the id. ~record marks a result. */
  readonly #tools = new IntRows(2)
  /** The ids of groups, calls and results. */
  readonly #names = new Numbering()
  /** Made when they are first asked for, and again after a row was added. */
  #allFlags: Uint16Array | undefined
  #allParents: Int32Array | undefined
  #allGroups: Int32Array | undefined
  #a = 0
  #b = 0
  /** The last row with an id, and the hash of that id. */
  #lastWithId = EMPTY
  #lastA = 0
  #lastB = 0

  constructor(seeds = makeSeeds()) {
    this.seeds = seeds
  }

  get length(): number {
    return this.#rows.length
  }

  get toolCount(): number {
    return this.#tools.length
  }

  get nameCount(): number {
    return this.#names.length
  }

  add(start: number, end: number, isWhole: boolean, facts: RecordFacts): void {
    const row = this.length
    const page = this.#addRow(start, end, flagsOf(isWhole, facts), facts.time ?? Number.NaN)
    const at = placeIn(row, ROW_NUMBERS)
    // Before its own id is added, so that a record that names itself waits for it.
    if (typeof facts.parent === 'string') {
      const { a, b } = hashOf(facts.parent, this.seeds)
      page[at + PARENT] = this.#parentOf(a, b)
    }
    if (facts.id !== undefined) {
      const { a, b } = hashOf(facts.id, this.seeds)
      page[at + ID] = a
      page[at + ID + 1] = b
      this.#setLast(row, a, b)
    }
    if (facts.group !== undefined) page[at + GROUP] = this.numberOf(facts.group) + 1
    for (const call of facts.calls ?? []) this.#tools.push(row, this.numberOf(call))
    for (const result of facts.results ?? []) this.#tools.push(~row, this.numberOf(result))
    if (facts.target !== undefined) this.targets.set(row, facts.target)
    if (facts.version !== undefined) this.version = facts.version
  }

  /** Adds a record of a known shape that stands alone on its line. `slot` is the first of its slots. */
  addShaped(start: number, end: number, facts: ShapeFacts, slots: Slots, slot: number): void {
    const row = this.length
    const { time, parent, id, group, calls, results, target, version } = facts
    const isTimed = time.slot !== NO_SLOT
    const page = this.#addRow(start, end, facts.flags, isTimed ? slots.timeAt(slot + time.slot) : time.value)
    const at = placeIn(row, ROW_NUMBERS)
    if (parent !== undefined) {
      this.#hash(parent, slots, slot)
      page[at + PARENT] = this.#parentOf(this.#a, this.#b)
    }
    if (id !== undefined) {
      this.#hash(id, slots, slot)
      page[at + ID] = this.#a
      page[at + ID + 1] = this.#b
      this.#setLast(row, this.#a, this.#b)
    }
    if (group !== undefined) page[at + GROUP] = this.#nameOf(group, slots, slot) + 1
    for (let tool = 0; tool < calls.length; tool++) this.#addTool(row, calls[tool], slots, slot)
    for (let tool = 0; tool < results.length; tool++) this.#addTool(~row, results[tool], slots, slot)
    if (target !== undefined) this.targets.set(row, textOf(target, slots, slot))
    if (version !== undefined) this.version = textOf(version, slots, slot)
  }

  #addRow(start: number, end: number, flags: number, time: number): Int32Array {
    const row = this.length
    this.#allFlags = undefined
    this.#allParents = undefined
    this.#allGroups = undefined
    const page = this.#rows.add()
    const at = placeIn(row, ROW_NUMBERS)
    while (start >= (this.#borders.length + 1) * HIGH) this.#borders.push(row)
    page[at + START] = start
    page[at + LENGTH] = end - start
    const high = Math.floor(time / HIGH)
    if (Math.abs(high) <= MAX_HIGH && Number.isInteger(time)) {
      page[at + FLAGS] = flags | (high << HIGH_SHIFT)
      page[at + TIME] = time - high * HIGH
    } else {
      page[at + FLAGS] = flags | (NO_HIGH << HIGH_SHIFT)
      page[at + TIME] = Number.isNaN(time) ? NO_TIME : FAR_TIME
      if (!Number.isNaN(time)) this.#farTimes.set(row, time)
    }
    return page
  }

  #addTool(row: number, source: Source<string> | undefined, slots: Slots, slot: number): void {
    if (source !== undefined) this.#tools.push(row, this.#nameOf(source, slots, slot))
  }

  /** Gives a row the parent and the flags of these facts. All other facts must be those of the row. */
  relink(row: number, facts: RecordFacts): void {
    this.#allFlags = undefined
    this.#allParents = undefined
    const kept = this.#rows.get(row, FLAGS) & (SUPERSEDED | ~OWN_FLAGS)
    this.#rows.set(row, FLAGS, flagsOf(this.has(row, WHOLE), facts) | kept)
    this.#rows.set(row, PARENT, typeof facts.parent === 'string' ? this.#parentBefore(row, facts.parent) : 0)
  }

  #parentBefore(row: number, parent: string): number {
    const { a, b } = hashOf(parent, this.seeds)
    const known = this.#byId.find(a, b)
    return known !== EMPTY && known < row ? known : this.#await(a, b)
  }

  /** Leaves the hash in two fields: called for each id, so it creates no objects. */
  #hash(source: Source<string>, slots: Slots, slot: number): void {
    if (source.slot === NO_SLOT) {
      const { a, b } = hashOf(source.value, this.seeds)
      this.#a = a
      this.#b = b
    } else {
      const at = (slot + source.slot) * NUMBERS_PER_SLOT
      this.#a = slots.slots[at] ?? 0
      this.#b = slots.slots[at + 1] ?? 0
    }
  }

  #nameOf(source: Source<string>, slots: Slots, slot: number): number {
    this.#hash(source, slots, slot)
    return this.#names.numberOf(this.#a, this.#b)
  }

  start(row: number): number {
    let start = this.#rows.get(row, START) >>> 0
    if (this.#borders.length === 0) return start
    for (const border of this.#borders) if (border <= row) start += HIGH
    return start
  }

  end(row: number): number {
    return this.start(row) + this.#rows.get(row, LENGTH)
  }

  /** The number of its bytes. */
  size(row: number): number {
    return this.#rows.get(row, LENGTH)
  }

  has(row: number, flag: number): boolean {
    return (this.#rows.get(row, FLAGS) & flag) !== 0
  }

  /** The flags of each row, and above them the position of its kind in RECORD_KINDS. */
  get allFlags(): Uint16Array {
    if (this.#allFlags === undefined) {
      this.#allFlags = new Uint16Array(this.length)
      this.#rows.copyPart(FLAGS, this.#allFlags)
    }
    return this.#allFlags
  }

  /** The last row with the id that each row names as its parent, or EMPTY. */
  get allParents(): Int32Array {
    if (this.#allParents === undefined) {
      const parents = new Int32Array(this.length)
      this.#rows.copyPart(PARENT, parents)
      const flags = this.allFlags
      for (let row = 0; row < parents.length; row++) {
        const parent = parents[row] ?? 0
        // Most parents are earlier rows, and the last with their id.
        const isSettled = parent >= 0 && ((flags[parent] ?? 0) & SUPERSEDED) === 0
        if (((flags[row] ?? 0) & NAMES_PARENT) === 0) parents[row] = EMPTY
        else if (!isSettled) parents[row] = this.#parent(row)
      }
      this.#allParents = parents
    }
    return this.#allParents
  }

  /** NaN where the record has none. */
  time(row: number): number {
    const high = this.#rows.get(row, FLAGS) >> HIGH_SHIFT
    const low = this.#rows.get(row, TIME)
    if (high !== NO_HIGH) return high * HIGH + (low >>> 0)
    return low === NO_TIME ? Number.NaN : (this.#farTimes.get(row) ?? Number.NaN)
  }

  /** NO_NUMBER for a record without a group. */
  group(row: number): number {
    if (this.#allGroups === undefined) {
      this.#allGroups = new Int32Array(this.length)
      this.#rows.copyPart(GROUP, this.#allGroups)
    }
    return (this.#allGroups[row] ?? 0) - 1
  }

  /** A row, or ~row for a result. */
  toolRow(tool: number): number {
    return this.#tools.get(tool, 0)
  }

  toolName(tool: number): number {
    return this.#tools.get(tool, 1)
  }

  numberOf(name: string): number {
    const { a, b } = hashOf(name, this.seeds)
    return this.#names.numberOf(a, b)
  }

  /** The last row with this id, or EMPTY. */
  find(id: string): number {
    const { a, b } = hashOf(id, this.seeds)
    return this.#byId.find(a, b)
  }

  /** The last row with the same id as this one. */
  lastWithIdOf(row: number): number {
    return this.has(row, SUPERSEDED) ? this.#byId.find(this.#rows.get(row, ID), this.#rows.get(row, ID + 1)) : row
  }

  #parent(row: number): number {
    if (!this.has(row, NAMES_PARENT)) return EMPTY
    const parent = this.#rows.get(row, PARENT)
    if (parent >= 0) return this.lastWithIdOf(parent)
    return this.#byId.find(this.#awaited.get(~parent, 0), this.#awaited.get(~parent, 1))
  }

  /** Makes room in the tables at once, for so many times the rows that there are. */
  reserve(times: number): void {
    this.#byId.reserve(this.length * times)
    this.#names.reserve(this.#names.length * times)
  }

  /** Frees the tables that only few logs need after the last row. They are made again where they are needed. */
  releaseTables(): void {
    this.#byId.release()
    this.#names.release()
  }

  /** For a log of which nothing is asked any more: the next one gets its memory. */
  recycle(): void {
    for (const part of [this.#byId, this.#rows, this.#awaited, this.#tools, this.#names]) part.recycle()
  }

  /** The current sizes, written to `into` where given. */
  mark(into: RowsMark = { rows: 0, tools: 0, names: 0, awaited: 0, version: undefined }): RowsMark {
    into.rows = this.length
    into.tools = this.#tools.length
    into.names = this.#names.length
    into.awaited = this.#awaited.length
    into.version = this.version
    return into
  }

  /** The number of bytes that `bytes` yields. */
  static countBytes({ rows, awaited, tools, names }: RowsMark): number {
    return rows * BYTES_PER_ROW + (awaited + tools + names) * BYTES_PER_PAIR
  }

  /** Everything that `restore` needs for the rows up to the mark, except the seeds and the `extra`. */
  *bytes(mark: RowsMark): Generator<Uint8Array, void, void> {
    yield* this.#rows.bytes(mark.rows)
    yield* this.#awaited.bytes(mark.awaited)
    yield* this.#tools.bytes(mark.tools)
    yield* this.#names.hashes.bytes(mark.names)
  }

  /** What few rows have, up to the mark. */
  extra({ rows }: RowsMark): RowsExtra {
    const isBefore = ([row]: [number, unknown]): boolean => row < rows
    return {
      targets: [...this.targets].filter(isBefore),
      farTimes: [...this.#farTimes].filter(isBefore),
      borders: this.#borders.filter(row => row < rows),
    }
  }

  /** Restores into empty rows with the same seeds. */
  restore(mark: RowsMark, { targets, farTimes, borders }: RowsExtra, fill: Fill): void {
    this.#rows.restore(mark.rows, fill)
    this.#awaited.restore(mark.awaited, fill)
    this.#tools.restore(mark.tools, fill)
    this.#names.restore(mark.names, fill)
    for (const [row, target] of targets) this.targets.set(row, target)
    for (const [row, time] of farTimes) this.#farTimes.set(row, time)
    this.#borders.push(...borders)
    this.version = mark.version
    this.#recomputeSuperseded()
  }

  /** Rows after the mark are gone and no longer supersede earlier rows. */
  #recomputeSuperseded(): void {
    for (let row = 0; row < this.length; row++) {
      this.#rows.set(row, FLAGS, this.#rows.get(row, FLAGS) & ~SUPERSEDED)
      if (this.has(row, HAS_ID)) this.#setLast(row, this.#rows.get(row, ID), this.#rows.get(row, ID + 1))
    }
  }

  #parentOf(a: number, b: number): number {
    // The parent is mostly the record before.
    if (a === this.#lastA && b === this.#lastB && this.#lastWithId !== EMPTY) return this.#lastWithId
    const known = this.#byId.find(a, b)
    return known === EMPTY ? this.#await(a, b) : known
  }

  #await(a: number, b: number): number {
    this.#awaited.push(a, b)
    return ~(this.#awaited.length - 1)
  }

  #setLast(row: number, a: number, b: number): void {
    this.#lastWithId = row
    this.#lastA = a
    this.#lastB = b
    const before = this.#byId.set(a, b, row)
    if (before !== EMPTY) this.#rows.set(before, FLAGS, this.#rows.get(before, FLAGS) | SUPERSEDED)
  }
}

/** By row. Plain data. */
export interface RowsExtra {
  targets: [number, string][]
  farTimes: [number, number][]
  borders: number[]
}

/** The hashes, times and texts that the scanner found. */
export type Slots = Pick<Kernel, 'slots' | 'timeAt' | 'textAt'>

function textOf(source: Source<string>, slots: Slots, slot: number): string {
  return source.slot === NO_SLOT ? source.value : slots.textAt(slot + source.slot)
}
