// The records of one log in little memory: a session of two gigabytes has a million of them. Columns of numbers in place of objects.
import type { RecordFacts, RecordKind } from './record-facts.ts'
import { RECORD_KINDS } from './record-facts.ts'
import * as rows from './record-rows.ts'
import { NO_NUMBER, RecordRows } from './record-rows.ts'

export type { RecordFacts, RecordKind } from './record-facts.ts'

export const NONE = -1

/** Some of the rows, for an index that lacks the others. */
interface Selection {
  /** By the number of a record here, its row. */
  rows: Int32Array
  /** By row, its number here, or NONE. */
  numbers: Int32Array
  /** For rows that are the last with their id and are not here: the last with the same id that is. */
  stands: ReadonlyMap<number, number>
  isLast: ReadonlySet<number>
}

export class RecordIndex {
  /** Shared with every index that was made from this one. */
  readonly rows: RecordRows
  readonly #selection: Selection | undefined

  constructor(from = new RecordRows(), selection?: Selection) {
    this.rows = from
    this.#selection = selection
  }

  get length(): number {
    return this.#selection?.rows.length ?? this.rows.length
  }

  /** The version of the agent in the last record that says one. */
  get version(): string | undefined {
    return this.rows.version
  }

  /** `isWhole`: it stands alone on its line, so that the agent itself can read it. Never to an index that `onlyWhole` gave, or has given. */
  add(start: number, end: number, isWhole: boolean, facts: RecordFacts): void {
    this.rows.add(start, end, isWhole, facts)
  }

  start(index: number): number {
    return this.rows.start(this.#row(index))
  }

  end(index: number): number {
    return this.rows.end(this.#row(index))
  }

  kind(index: number): RecordKind {
    return RECORD_KINDS[this.rows.kind(this.#row(index))] ?? 'other'
  }

  role(index: number): 'user' | 'assistant' | undefined {
    return this.#has(index, rows.USER) ? 'user' : this.#has(index, rows.ASSISTANT) ? 'assistant' : undefined
  }

  /** NaN where the record has none. */
  time(index: number): number {
    return this.rows.time(this.#row(index))
  }

  isWhole(index: number): boolean {
    return this.#has(index, rows.WHOLE)
  }

  isSidechain(index: number): boolean {
    return this.#has(index, rows.SIDECHAIN)
  }

  isSuspect(index: number): boolean {
    return this.#has(index, rows.SUSPECT)
  }

  isOnlyThinking(index: number): boolean {
    return this.#has(index, rows.ONLY_THINKING)
  }

  isMeta(index: number): boolean {
    return this.#has(index, rows.META)
  }

  isRefused(index: number): boolean {
    return this.#has(index, rows.REFUSED)
  }

  hasId(index: number): boolean {
    return this.#has(index, rows.HAS_ID)
  }

  /** Written again later under the same id: the last one counts. */
  isSuperseded(index: number): boolean {
    return this.#has(index, rows.SUPERSEDED) && this.#selection?.isLast.has(this.#row(index)) !== true
  }

  /** The last record with the id of this one: itself where it has none, or where no other has it. */
  latest(index: number): number {
    return this.#numberOf(this.rows.lastWithIdOf(this.#row(index)))
  }

  /** The last record with this id, or NONE. */
  find(id: string): number {
    return this.#numberOf(this.rows.find(id))
  }

  namesParent(index: number): boolean {
    return this.#has(index, rows.NAMES_PARENT)
  }

  /** The record it names as its parent, wherever in the file that is; NONE for a root and for a parent that is nowhere. */
  parent(index: number): number {
    return this.#numberOf(this.rows.parent(this.#row(index)))
  }

  isOrphan(index: number): boolean {
    return this.namesParent(index) && this.parent(index) === NONE
  }

  /** A number that is equal for records of the same group, and undefined where there is none. */
  group(index: number): number | undefined {
    const group = this.rows.group(this.#row(index))
    return group === NO_NUMBER ? undefined : group
  }

  target(index: number): string | undefined {
    return this.rows.targets.get(this.#row(index))
  }

  /** All calls and results in the order of the file. `key` is equal for a call and its result. */
  *tools(): Generator<{ record: number; isResult: boolean; key: number }, void, void> {
    for (let tool = 0; tool < this.rows.toolCount; tool++) {
      const row = this.rows.toolRow(tool)
      const record = this.#own(row < 0 ? ~row : row)
      if (record !== NONE) yield { record, isResult: row < 0, key: this.rows.toolName(tool) }
    }
  }

  /** The number by which `group` and `tools` know an id, here and in every index that was made from this one. */
  keyOf(id: string): number {
    return this.rows.numberOf(id)
  }

  /** All keys are below. It grows with the ids that `keyOf` is asked for. */
  get keyLimit(): number {
    return this.rows.nameCount
  }

  /** As the agent itself sees the file: records that share a line with something else are not there for it, unless `isRead` says so. */
  onlyWhole(isRead: (index: number) => boolean = () => false): RecordIndex {
    return this.only(index => this.isWhole(index) || isRead(index))
  }

  /** As the log would be with these records alone. */
  only(isKept: (index: number) => boolean): RecordIndex {
    const numbers = new Int32Array(this.rows.length).fill(NONE)
    const seen = new Int32Array(this.length)
    let count = 0
    for (let index = 0; index < this.length; index++) {
      if (!isKept(index)) continue
      const row = this.#row(index)
      numbers[row] = count
      seen[count++] = row
    }
    const stands = lastOfThese(this.rows, numbers)
    const isLast = new Set(stands.values())
    return new RecordIndex(this.rows, { rows: seen.subarray(0, count), numbers, stands, isLast })
  }

  #has(index: number, flag: number): boolean {
    return this.rows.has(this.#row(index), flag)
  }

  #row(index: number): number {
    return this.#selection === undefined ? index : (this.#selection.rows[index] ?? NONE)
  }

  #own(row: number): number {
    return this.#selection === undefined ? row : (this.#selection.numbers[row] ?? NONE)
  }

  /** From the last row with an id to the last record with it. */
  #numberOf(row: number): number {
    if (row === NONE || this.#selection === undefined) return row
    return this.#own(this.#selection.stands.get(row) ?? row)
  }
}

/** How many messages these records are, in the order of the file: the lines of one message are one, unless another message of the model stands between them. */
export function countMessages(records: Iterable<number>, index: RecordIndex): number {
  let open: number | undefined
  let messages = 0
  for (const record of records) {
    if (index.isMeta(record)) continue
    const group = index.group(record)
    if (group === undefined || group !== open) messages++
    open = group ?? open
  }
  return messages
}

/** The file of a sub-agent holds nothing but sidechain records; there they are the conversation. */
export function mainLane(index: RecordIndex): boolean {
  for (let record = 0; record < index.length; record++)
    if (index.kind(record) === 'talk' && !index.isSidechain(record)) return false
  return true
}

/** For each row that is not among these and is the last with its id: the last with that id among them. Few have one. */
function lastOfThese(from: RecordRows, numbers: Int32Array): Map<number, number> {
  const stands = new Map<number, number>()
  let isAnyMissing = false
  for (let row = 0; row < from.length && !isAnyMissing; row++)
    isAnyMissing = numbers[row] === NONE && !from.has(row, rows.SUPERSEDED)
  for (let row = 0; row < from.length && isAnyMissing; row++) {
    if (numbers[row] === NONE || !from.has(row, rows.SUPERSEDED)) continue
    const last = from.lastWithIdOf(row)
    if (numbers[last] === NONE) stands.set(last, row)
  }
  return stands
}
