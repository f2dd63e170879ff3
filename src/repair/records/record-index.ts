// The records of one log in little memory: a session of two gigabytes has a million of them. It uses columns
// of numbers instead of objects.
import type { RecordFacts, RecordKind } from './record-facts.ts'
import { RECORD_KINDS } from './record-facts.ts'
import * as bits from './record-flags.ts'
import { NO_NUMBER, RecordRows } from './record-rows.ts'

export type { RecordFacts, RecordKind } from './record-facts.ts'
export {
  ASSISTANT,
  HAS_ID,
  KIND,
  kindFlag,
  META,
  NAMES_PARENT,
  ONLY_THINKING,
  SIDECHAIN,
  SUPERSEDED,
  SUSPECT,
  UNUSED_ID,
  USER,
} from './record-flags.ts'

export const NONE = -1

/** A subset of the rows, for an index that lacks the others. */
interface Selection {
  /** Row of each record of this index. */
  rows: Int32Array
  /** Record number of each row, or NONE. */
  numbers: Int32Array
  /** For a row that is the last with its id and is not in this index: the last row with that id that is. */
  stands: ReadonlyMap<number, number>
  flags: Uint16Array
  parents?: Int32Array
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

  /** The agent's version in the last record that states one. */
  get version(): string | undefined {
    return this.rows.version
  }

  /**
   * `isWhole`: the record stands alone on its line, so that the agent can read it. Only for an index without
   * a selection, from which none was made yet.
   */
  add(start: number, end: number, isWhole: boolean, facts: RecordFacts): void {
    this.rows.add(start, end, isWhole, facts)
  }

  /**
   * The flags of each record, and its kind as one of them. For passes over all records; do not keep them beyond the
   * next `add`.
   */
  get flags(): Uint16Array {
    return this.#selection?.flags ?? this.rows.allFlags
  }

  /** The parent of each record, as `parent` gives it. */
  get parents(): Int32Array {
    const selection = this.#selection
    if (selection === undefined) return this.rows.allParents
    selection.parents ??= selection.rows.map(row => this.#numberOf(this.rows.allParents[row] ?? NONE))
    return selection.parents
  }

  start(index: number): number {
    return this.rows.start(this.#row(index))
  }

  end(index: number): number {
    return this.rows.end(this.#row(index))
  }

  /** The last record that starts at or before an offset, or NONE. */
  lastStartingBy(offset: number): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.start(middle) <= offset) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** The number of its bytes. */
  size(index: number): number {
    return this.rows.size(this.#row(index))
  }

  kind(index: number): RecordKind {
    return RECORD_KINDS[(this.flags[index] ?? 0) >>> bits.KIND_SHIFT] ?? 'other'
  }

  role(index: number): 'user' | 'assistant' | undefined {
    return this.#has(index, bits.USER) ? 'user' : this.#has(index, bits.ASSISTANT) ? 'assistant' : undefined
  }

  /** NaN where the record has none. */
  time(index: number): number {
    return this.rows.time(this.#row(index))
  }

  isWhole(index: number): boolean {
    return this.#has(index, bits.WHOLE)
  }

  isSidechain(index: number): boolean {
    return this.#has(index, bits.SIDECHAIN)
  }

  isSuspect(index: number): boolean {
    return this.#has(index, bits.SUSPECT)
  }

  isOnlyThinking(index: number): boolean {
    return this.#has(index, bits.ONLY_THINKING)
  }

  isMeta(index: number): boolean {
    return this.#has(index, bits.META)
  }

  isRefused(index: number): boolean {
    return this.#has(index, bits.REFUSED)
  }

  hasUnusedId(index: number): boolean {
    return this.#has(index, bits.UNUSED_ID)
  }

  hasId(index: number): boolean {
    return this.#has(index, bits.HAS_ID)
  }

  /** A later record has the same id. The last one counts. */
  isSuperseded(index: number): boolean {
    return this.#has(index, bits.SUPERSEDED)
  }

  /** The last record with the same id. Itself where it has no id, or no other record has it. */
  latest(index: number): number {
    return this.#numberOf(this.rows.lastWithIdOf(this.#row(index)))
  }

  /** The last record with this id, or NONE. */
  find(id: string): number {
    return this.#numberOf(this.rows.find(id))
  }

  namesParent(index: number): boolean {
    return this.#has(index, bits.NAMES_PARENT)
  }

  /**
   * The parent of a record, before or after it in the file. NONE for a root and for a parent that is not in
   * the file.
   */
  parent(index: number): number {
    return this.parents[index] ?? NONE
  }

  isOrphan(index: number): boolean {
    return this.namesParent(index) && this.parent(index) === NONE
  }

  /** A number that is equal for records of the same group; undefined for a record without a group. */
  group(index: number): number | undefined {
    const group = this.rows.group(this.#row(index))
    return group === NO_NUMBER ? undefined : group
  }

  target(index: number): string | undefined {
    return this.rows.targets.get(this.#row(index))
  }

  /** Visits all calls and results in file order. `key` is equal for a call and its result. */
  eachTool(visit: (record: number, isResult: boolean, key: number) => void): void {
    for (let tool = 0; tool < this.rows.toolCount; tool++) {
      const row = this.rows.toolRow(tool)
      const record = this.#own(row < 0 ? ~row : row)
      if (record !== NONE) visit(record, row < 0, this.rows.toolName(tool))
    }
  }

  /** The number that `group` and `tools` use for an id, in this index and in every index made from it. */
  keyOf(id: string): number {
    return this.rows.numberOf(id)
  }

  /** All keys are below this limit. It grows with the ids passed to `keyOf`. */
  get keyLimit(): number {
    return this.rows.nameCount
  }

  /**
   * The index as the agent reads the file: without records that share a line, unless `isRead` accepts them.
   */
  onlyWhole(isRead: (index: number) => boolean = () => false): RecordIndex {
    return this.only(index => this.isWhole(index) || isRead(index))
  }

  /** The index as if the log held only these records. */
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
    const kept = seen.subarray(0, count)
    const stands = lastOfThese(this.rows, numbers)
    const flags = Uint16Array.from(kept, row => this.rows.allFlags[row] ?? 0)
    for (const row of stands.values()) flags[numbers[row] ?? NONE] = (this.rows.allFlags[row] ?? 0) & ~bits.SUPERSEDED
    return new RecordIndex(this.rows, { rows: kept, numbers, stands, flags })
  }

  #has(index: number, flag: number): boolean {
    return ((this.flags[index] ?? 0) & flag) !== 0
  }

  #row(index: number): number {
    return this.#selection === undefined ? index : (this.#selection.rows[index] ?? NONE)
  }

  #own(row: number): number {
    return this.#selection === undefined ? row : (this.#selection.numbers[row] ?? NONE)
  }

  /** Maps the last row with an id to the last record of this index with that id. */
  #numberOf(row: number): number {
    if (row === NONE || this.#selection === undefined) return row
    return this.#own(this.#selection.stands.get(row) ?? row)
  }
}

/** Counts the messages of these records in file order, without those that the agent itself added. */
export function countMessages(records: Int32Array, index: RecordIndex): number {
  const { flags } = index
  const counter = new MessageCounter()
  for (const record of records) if (((flags[record] ?? 0) & bits.META) === 0) counter.add(index.group(record))
  return counter.messages
}

/** The lines of one message count once, unless another message of the model stands between them. */
export class MessageCounter {
  messages = 0
  #open: number | undefined

  /** The next record, by its group. */
  add(group: number | undefined): void {
    if (group === undefined || group !== this.#open) this.messages++
    this.#open = group ?? this.#open
  }
}

/** The file of a sub-agent holds only sidechain records. There they are the conversation. */
export function mainLane({ flags }: RecordIndex): boolean {
  for (const flag of flags) if ((flag & (bits.KIND | bits.SIDECHAIN)) === TALK) return false
  return true
}

const TALK = bits.kindFlag('talk')

/**
 * For each row outside this selection that is the last with its id: the last selected row with that id. There
 * are few.
 */
function lastOfThese(from: RecordRows, numbers: Int32Array): Map<number, number> {
  const stands = new Map<number, number>()
  let isAnyMissing = false
  for (let row = 0; row < from.length && !isAnyMissing; row++)
    isAnyMissing = numbers[row] === NONE && !from.has(row, bits.SUPERSEDED)
  for (let row = 0; row < from.length && isAnyMissing; row++) {
    if (numbers[row] === NONE || !from.has(row, bits.SUPERSEDED)) continue
    const last = from.lastWithIdOf(row)
    if (numbers[last] === NONE) stands.set(last, row)
  }
  return stands
}
