// Where each message of a conversation is in its spool and in the session's own file, in columns of numbers.
import type { IdHash } from '../../model/columns.ts'
import { Column, hashOf, makeSeeds, Numbering } from '../../model/columns.ts'
import type { Place } from '../../model/message.ts'

/** Messages that were written to the spool one after the other. */
export interface SpoolBatch {
  offset: number
  /** Bytes of the form a page shows. */
  shown: Int32Array
  /** Bytes of the whole message, right after the shown form; 0 where nothing was cut. */
  whole: Int32Array
  /**
   * Offsets in the session's own file. The end is OTHER_PLACE
   * for all others, whose keys are in `otherPlaces`.
   */
  starts: Float64Array
  ends: Float64Array
  otherPlaces: string[]
  ids: string[]
}

export interface SpoolRange {
  start: number
  length: number
}

export const OTHER_PLACE = -1

/** The last messages of a store that is rewritten may grow like those of one that is appended to. */
const GROWING = 50
/** The same for all, so that two readings of a conversation can be compared. */
const SEEDS = makeSeeds()

export class MessageIndex {
  /** Bytes of the spool that are in use. */
  bytes = 0
  readonly #offsets = new Column(Float64Array)
  readonly #shown = new Column(Int32Array)
  readonly #whole = new Column(Int32Array)
  readonly #starts = new Column(Float64Array)
  readonly #ends = new Column(Float64Array)
  readonly #ids = new Numbering()

  get length(): number {
    return this.#offsets.length
  }

  add(batch: SpoolBatch): void {
    let { offset } = batch
    let next = 0
    for (const [at, id] of batch.ids.entries()) {
      const shown = batch.shown[at] ?? 0
      const whole = batch.whole[at] ?? 0
      const end = batch.ends[at] ?? OTHER_PLACE
      const start = end === OTHER_PLACE ? hashOf(batch.otherPlaces[next++] ?? '', SEEDS).a : (batch.starts[at] ?? 0)
      this.#put(hashOf(id, SEEDS), [offset, shown, whole, start, end])
      offset += shown + whole
    }
  }

  /** What was read since: messages under a known id have grown, the others are new. */
  merge(later: MessageIndex): void {
    for (let row = 0; row < later.length; row++) this.#put(later.#idOf(row), later.#rowOf(row))
  }

  shown(row: number): SpoolRange {
    return { start: this.#offsets.get(row), length: this.#shown.get(row) }
  }

  whole(row: number): SpoolRange {
    const length = this.#whole.get(row)
    return length === 0 ? this.shown(row) : { start: this.#offsets.get(row) + this.#shown.get(row), length }
  }

  /** In the session's own file; undefined where the message is in a table or in another file. */
  placeOf(row: number): { start: number; end: number } | undefined {
    const end = this.#ends.get(row)
    return end === OTHER_PLACE ? undefined : { start: this.#starts.get(row), end }
  }

  /** The first message in this table row, or in this other file; -1 where there is none. */
  findOtherPlace(key: string): number {
    const { a } = hashOf(key, SEEDS)
    for (let row = 0; row < this.length; row++)
      if (this.#ends.get(row) === OTHER_PLACE && this.#starts.get(row) === a) return row
    return -1
  }

  /** The message with this id; -1 where there is none. */
  findId(id: string): number {
    const { a, b } = hashOf(id, SEEDS)
    for (let row = 0; row < this.length; row++) {
      const known = this.#idOf(row)
      if (known.a === a && known.b === b) return row
    }
    return -1
  }

  /** Whether every index of `before` still means the same message. The last ones may have grown. */
  carriesOn(before: MessageIndex): boolean {
    if (this.length < before.length) return false
    for (let row = 0; row < before.length; row++) {
      const [one, two] = [this.#idOf(row), before.#idOf(row)]
      if (one.a !== two.a || one.b !== two.b || (row < before.length - GROWING && !this.#isSame(before, row)))
        return false
    }
    return true
  }

  #isSame(other: MessageIndex, row: number): boolean {
    const [, ...one] = this.#rowOf(row)
    const [, ...two] = other.#rowOf(row)
    return one.every((value, at) => value === two[at])
  }

  #rowOf(row: number): Row {
    return [
      this.#offsets.get(row),
      this.#shown.get(row),
      this.#whole.get(row),
      this.#starts.get(row),
      this.#ends.get(row),
    ]
  }

  #idOf(row: number): IdHash {
    return { a: this.#ids.hashes.get(row, 0), b: this.#ids.hashes.get(row, 1) }
  }

  #put(id: IdHash, [offset, shown, whole, start, end]: Row): void {
    this.bytes += shown + whole
    const row = this.#ids.numberOf(id.a, id.b)
    if (row === this.length) {
      this.#offsets.push(offset)
      this.#shown.push(shown)
      this.#whole.push(whole)
      this.#starts.push(start)
      this.#ends.push(end)
    } else {
      this.bytes -= this.#shown.get(row) + this.#whole.get(row)
      this.#offsets.set(row, offset)
      this.#shown.set(row, shown)
      this.#whole.set(row, whole)
      this.#starts.set(row, start)
      this.#ends.set(row, end)
    }
  }
}

type Row = [offset: number, shown: number, whole: number, start: number, end: number]

/** The key of a place outside the session's own file; undefined for one inside it. */
export function otherPlaceKey(place: Place, sessionFile: string): string | undefined {
  if ('table' in place) return `${place.table}\n${place.row}`
  return place.file === sessionFile ? undefined : place.file
}
