// The storage of a record index: one row of about forty bytes for each record, whatever its size.
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import { NUMBERS_PER_SLOT } from '../../bytes/scanner/kernel.ts'
import type { Seeds } from '../../model/columns.ts'
import { CloseColumn, Column, EMPTY, HashTable, hashOf, makeSeeds, Numbering } from '../../model/columns.ts'
import type { RecordFacts } from './record-facts.ts'
import { RECORD_KINDS } from './record-facts.ts'
import type { ShapeFacts, Source } from './record-shape.ts'
import { NO_SLOT } from './record-shape.ts'

export const WHOLE = 1
export const SIDECHAIN = 2
export const USER = 4
export const ASSISTANT = 8
export const SUSPECT = 16
export const META = 32
export const SUPERSEDED = 64
export const NAMES_PARENT = 128
export const HAS_ID = 256
export const ONLY_THINKING = 512
export const REFUSED = 1024
export const UNUSED_ID = 2048
/** The kind is stored above the flags. */
const KIND_SHIFT = 12

export const NO_NUMBER = -1

/**
 * The sizes of all columns at one point of the pass. The rows up to this point can be stored, and a later
 * pass can continue from there.
 */
export interface RowsMark {
  rows: number
  tools: number
  names: number
  awaited: number
  version: string | undefined
}

/** Sizes of the columns with one row for each record, and of the other columns. */
const BYTES_PER_ROW = 8 + 4 + 2 + 8 + 8 + 4 + 4
const BYTES_PER_PAIR = 8

/** Fills the given array with the next bytes. */
export type Fill = (bytes: Uint8Array) => void

export class RecordRows {
  readonly seeds: Seeds
  /** The agent's version in the last record that states one. */
  version: string | undefined
  readonly targets = new Map<number, string>()
  readonly #starts = new CloseColumn()
  readonly #lengths = new Column(Uint32Array)
  readonly #flags = new Column(Uint16Array)
  readonly #times = new CloseColumn()
  readonly #ids = new Column(Int32Array, 2)
  readonly #byId = new HashTable(this.#ids)
  /**
   * Usually an earlier row with the parent's id. Where there was none yet, ~row in `#awaited`, which holds
   * the hash of the id.
   */
  readonly #parents = new Column(Int32Array)
  readonly #awaited = new Column(Int32Array, 2)
  /** The number of the group, counted from 1; 0 for none. */
  readonly #groups = new Column(Int32Array)
  /** Calls and results in file order: the record, then the number of the id. ~record marks a result. */
  readonly #tools = new Column(Int32Array, 2)
  /** The ids of groups, calls and results. */
  readonly #names = new Numbering()
  #a = 0
  #b = 0

  constructor(seeds = makeSeeds()) {
    this.seeds = seeds
  }

  get length(): number {
    return this.#starts.length
  }

  get toolCount(): number {
    return this.#tools.length
  }

  get nameCount(): number {
    return this.#names.length
  }

  add(start: number, end: number, isWhole: boolean, facts: RecordFacts): void {
    const row = this.length
    this.#starts.push(start)
    this.#lengths.push(end - start)
    this.#flags.push(flagsOf(isWhole, facts))
    this.#times.push(facts.time ?? Number.NaN)
    // Before its own id is added, so that a record that names itself waits for it.
    if (typeof facts.parent === 'string') {
      const { a, b } = hashOf(facts.parent, this.seeds)
      this.#parents.push(this.#parentOf(a, b))
    } else this.#parents.push(0)
    if (facts.id === undefined) this.#ids.push(0, 0)
    else {
      const { a, b } = hashOf(facts.id, this.seeds)
      this.#addId(row, a, b)
    }
    this.#groups.push(facts.group === undefined ? 0 : this.numberOf(facts.group) + 1)
    for (const call of facts.calls ?? []) this.#tools.push(row, this.numberOf(call))
    for (const result of facts.results ?? []) this.#tools.push(~row, this.numberOf(result))
    if (facts.target !== undefined) this.targets.set(row, facts.target)
    if (facts.version !== undefined) this.version = facts.version
  }

  /** Adds a record of a known shape that stands alone on its line. `slot` is the first of its slots. */
  addShaped(start: number, end: number, facts: ShapeFacts, slots: Slots, slot: number): void {
    const row = this.length
    const { parent, id, group, time, target, version } = facts
    this.#starts.push(start)
    this.#lengths.push(end - start)
    this.#flags.push(facts.flags)
    this.#times.push(time.slot === NO_SLOT ? time.value : slots.timeAt(slot + time.slot))
    if (parent === undefined) this.#parents.push(0)
    else {
      this.#hash(parent, slots, slot)
      this.#parents.push(this.#parentOf(this.#a, this.#b))
    }
    if (id === undefined) this.#ids.push(0, 0)
    else {
      this.#hash(id, slots, slot)
      this.#addId(row, this.#a, this.#b)
    }
    this.#groups.push(group === undefined ? 0 : this.#nameOf(group, slots, slot) + 1)
    for (const call of facts.calls) this.#tools.push(row, this.#nameOf(call, slots, slot))
    for (const result of facts.results) this.#tools.push(~row, this.#nameOf(result, slots, slot))
    if (target !== undefined) this.targets.set(row, textOf(target, slots, slot))
    if (version !== undefined) this.version = textOf(version, slots, slot)
  }

  /** Gives a row the parent and the flags of these facts. All other facts must be those of the row. */
  relink(row: number, facts: RecordFacts): void {
    const kept = this.#flags.get(row) & SUPERSEDED
    this.#flags.set(row, flagsOf(this.has(row, WHOLE), facts) | kept)
    this.#parents.set(row, typeof facts.parent === 'string' ? this.#parentBefore(row, facts.parent) : 0)
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
    return this.#starts.get(row)
  }

  end(row: number): number {
    return this.#starts.get(row) + this.#lengths.get(row)
  }

  has(row: number, flag: number): boolean {
    return (this.#flags.get(row) & flag) !== 0
  }

  /** The position of its kind in RECORD_KINDS. */
  kind(row: number): number {
    return this.#flags.get(row) >>> KIND_SHIFT
  }

  time(row: number): number {
    return this.#times.get(row)
  }

  /** NO_NUMBER for a record without a group. */
  group(row: number): number {
    return this.#groups.get(row) - 1
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
    return this.has(row, SUPERSEDED) ? this.#byId.find(this.#ids.get(row, 0), this.#ids.get(row, 1)) : row
  }

  /** The last row with the id that this one names as its parent, or EMPTY. */
  parent(row: number): number {
    if (!this.has(row, NAMES_PARENT)) return EMPTY
    const parent = this.#parents.get(row)
    if (parent >= 0) return this.lastWithIdOf(parent)
    return this.#byId.find(this.#awaited.get(~parent, 0), this.#awaited.get(~parent, 1))
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

  /** Everything that `restore` needs for the rows up to the mark, except the seeds and the targets. */
  *bytes(mark: RowsMark): Generator<Uint8Array, void, void> {
    for (const column of this.#rowColumns()) yield* column.bytes(mark.rows)
    yield* this.#awaited.bytes(mark.awaited)
    yield* this.#tools.bytes(mark.tools)
    yield* this.#names.hashes.bytes(mark.names)
  }

  /** Restores into empty rows with the same seeds. */
  restore(mark: RowsMark, targets: Iterable<readonly [number, string]>, fill: Fill): void {
    for (const column of this.#rowColumns()) column.restore(mark.rows, fill)
    this.#awaited.restore(mark.awaited, fill)
    this.#tools.restore(mark.tools, fill)
    this.#names.restore(mark.names, fill)
    for (const [row, target] of targets) this.targets.set(row, target)
    this.version = mark.version
    this.#recomputeSuperseded()
  }

  #rowColumns(): (Column | CloseColumn)[] {
    return [this.#starts, this.#lengths, this.#flags, this.#times, this.#ids, this.#parents, this.#groups]
  }

  /** Rows after the mark are gone and no longer supersede earlier rows. */
  #recomputeSuperseded(): void {
    for (let row = 0; row < this.length; row++) {
      this.#flags.set(row, this.#flags.get(row) & ~SUPERSEDED)
      if (this.has(row, HAS_ID)) this.#setLast(row, this.#ids.get(row, 0), this.#ids.get(row, 1))
    }
  }

  #parentOf(a: number, b: number): number {
    const known = this.#byId.find(a, b)
    return known === EMPTY ? this.#await(a, b) : known
  }

  #await(a: number, b: number): number {
    this.#awaited.push(a, b)
    return ~(this.#awaited.length - 1)
  }

  #addId(row: number, a: number, b: number): void {
    this.#ids.push(a, b)
    this.#setLast(row, a, b)
  }

  #setLast(row: number, a: number, b: number): void {
    const before = this.#byId.set(a, b, row)
    if (before !== EMPTY) this.#flags.set(before, this.#flags.get(before) | SUPERSEDED)
  }
}

/** The hashes, times and texts that the scanner found. */
export type Slots = Pick<Kernel, 'slots' | 'timeAt' | 'textAt'>

function textOf(source: Source<string>, slots: Slots, slot: number): string {
  return source.slot === NO_SLOT ? source.value : slots.textAt(slot + source.slot)
}

/** The flags of a record, and its kind above them. */
export function flagsOf(isWhole: boolean, facts: RecordFacts): number {
  return (
    (RECORD_KINDS.indexOf(facts.kind) << KIND_SHIFT) |
    (isWhole ? WHOLE : 0) |
    (facts.sidechain === true ? SIDECHAIN : 0) |
    (facts.role === 'user' ? USER : 0) |
    (facts.role === 'assistant' ? ASSISTANT : 0) |
    (facts.suspect === true ? SUSPECT : 0) |
    (facts.onlyThinking === true ? ONLY_THINKING : 0) |
    (facts.meta === true ? META : 0) |
    (facts.refused === true ? REFUSED : 0) |
    (facts.hasUnusedId === true ? UNUSED_ID : 0) |
    (typeof facts.parent === 'string' ? NAMES_PARENT : 0) |
    (facts.id === undefined ? 0 : HAS_ID)
  )
}
