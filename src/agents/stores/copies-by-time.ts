// Finds records that are in a log a second time, where each has its time and the log is read in parts. A copy has the
// time and the length of its original. As long as the times in a log increase, only records of the same time can be
// copies of each other, so that no other bytes have to be compared.
import type { OpenFile } from '../../disk/files/read.ts'
import type { FilePlace } from '../../model/message.ts'
import { Copies } from './copies.ts'

/** More records of one time are compared by their bytes. */
const MAX_RUN = 64

/** The records of a part. Plain data. */
export interface TimedRows {
  /** Start and end of each. */
  bounds: Float64Array
  first: TimeRun
  last: TimeRun
  /** No record is older than one before it, and none has the time and the length of another. */
  isAscending: boolean
}

/** Records that follow each other and have the same time. Without any, the time is empty. */
interface TimeRun {
  time: string
  lengths: number[]
}

export class TimedRecords {
  #bounds: number[] = []
  #first: TimeRun | undefined
  #time = ''
  #lengths: number[] = []
  #isAscending = true

  add(time: string, { start, end }: FilePlace): void {
    this.#bounds.push(start, end)
    const length = end - start
    if (time > this.#time) {
      if (this.#time !== '') this.#first ??= { time: this.#time, lengths: this.#lengths }
      this.#time = time
      this.#lengths = [length]
    } else if (time < this.#time || this.#lengths.length === MAX_RUN || this.#lengths.includes(length))
      this.#isAscending = false
    else this.#lengths.push(length)
  }

  clear(): void {
    this.#bounds = []
    this.#first = undefined
    this.#time = ''
    this.#lengths = []
    this.#isAscending = true
  }

  rows(): TimedRows {
    const last = { time: this.#time, lengths: this.#lengths }
    const bounds = Float64Array.from(this.#bounds)
    return { bounds, first: this.#first ?? last, last, isAscending: this.#isAscending }
  }
}

/** The records of all parts so far. */
export class CopiesByTime {
  /** Until a record is older than one before it. From then on, all are compared by their bytes. */
  #ascending: Float64Array[] | undefined = []
  #last: TimeRun = { time: '', lengths: [] }
  readonly #copies: Copies

  constructor(file: OpenFile) {
    this.#copies = new Copies(file)
  }

  /** Adds the rows of a part. Whether one of them is a copy; then the rest is not added. */
  hasAny(rows: TimedRows): boolean {
    if (rows.bounds.length === 0) return false
    const before = this.#ascending
    if (before !== undefined && this.#isNext(rows)) {
      before.push(rows.bounds)
      const isSameRun = rows.first.time === this.#last.time && rows.last.time === rows.first.time
      this.#last = isSameRun ? { ...rows.last, lengths: [...this.#last.lengths, ...rows.last.lengths] } : rows.last
      return false
    }
    this.#ascending = undefined
    return [...(before ?? []), rows.bounds].some(bounds => this.#copies.hasAnyIn(bounds))
  }

  #isNext({ isAscending, first }: TimedRows): boolean {
    const { time, lengths } = this.#last
    if (!isAscending || first.time < time) return false
    return first.time > time || (lengths.length <= MAX_RUN && !first.lengths.some(length => lengths.includes(length)))
  }
}
