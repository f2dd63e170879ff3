// Finds records that are in a log a second time, where each has its time and the log is read in parts. A copy has the
// time of its original. Times in a log increase, or nearly: a record is compared with the few before it that are not
// older, and only those with the same time and length by their bytes.
import type { OpenFile } from '../../disk/files/read.ts'
import { Copies } from './copies.ts'
import type { LogRecord } from './json-lines.ts'

/** A log in which records go back so far that more is compared is searched by the bytes of all records. */
const MAX_STEPS = 1_000_000
const STEPS_OF_BYTES = 1000

/** The records of a part, in the order of the log. Plain data. */
export interface TimedRows {
  times: Float64Array
  /** Start and end of each. */
  bounds: Float64Array
  /** The earliest and the latest time. */
  first: number
  last: number
  hasCopy: boolean
  /** Whether not all of them were compared with each other. */
  isTangled: boolean
}

export class TimedRecords {
  readonly #file: OpenFile
  #times: number[] = []
  /** For each record the latest time up to it. */
  #latest: number[] = []
  #bounds: number[] = []
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY
  #hasCopy = false
  #steps = 0

  constructor(file: OpenFile) {
    this.#file = file
  }

  /** `time` is in the form of ISO 8601. */
  add(time: string, record: LogRecord): void {
    const number = numberOf(time)
    if (number <= this.#last) this.#compare(number, record)
    else this.#last = number
    if (number < this.#first) this.#first = number
    this.#times.push(number)
    this.#latest.push(this.#last)
    this.#bounds.push(record.at.start, record.at.end)
  }

  #compare(time: number, { at, bytes }: LogRecord): void {
    for (let row = this.#times.length - 1; row >= 0 && (this.#latest[row] ?? 0) >= time; row--) {
      if (this.#steps++ > MAX_STEPS) return
      if (this.#times[row] !== time) continue
      const [start = 0, end = 0] = [this.#bounds[2 * row], this.#bounds[2 * row + 1]]
      if (end - start !== at.end - at.start) continue
      this.#steps += STEPS_OF_BYTES
      this.#hasCopy ||= this.#file.range(start, end).equals(bytes)
    }
  }

  clear(): void {
    this.#times = []
    this.#latest = []
    this.#bounds = []
    this.#first = Number.POSITIVE_INFINITY
    this.#last = Number.NEGATIVE_INFINITY
    this.#hasCopy = false
    this.#steps = 0
  }

  rows(): TimedRows {
    return {
      times: new Float64Array(this.#times),
      bounds: new Float64Array(this.#bounds),
      first: this.#first,
      last: this.#last,
      hasCopy: this.#hasCopy,
      isTangled: this.#steps > MAX_STEPS,
    }
  }
}

/** Equal for equal times, and in their order within a century. */
function numberOf(time: string): number {
  if (time.length < USUAL_LENGTH) return 0
  const day = (digitsAt(time, 2) * 100 + digitsAt(time, 5)) * 100 + digitsAt(time, 8)
  const second = (digitsAt(time, 11) * 100 + digitsAt(time, 14)) * 100 + digitsAt(time, 17)
  return ((day * 1_000_000 + second) * 100 + digitsAt(time, 20)) * 10 + time.charCodeAt(22) - ZERO
}

const USUAL_LENGTH = '2026-11-15T09:00:00.000Z'.length
const ZERO = 0x30

/** The number of two digits. */
function digitsAt(time: string, at: number): number {
  return time.charCodeAt(at) * 10 + time.charCodeAt(at + 1) - 11 * ZERO
}

interface AddedRows extends TimedRows {
  /** Of all records up to its end. */
  latest: number
}

/** The records of all parts so far. */
export class CopiesByTime {
  readonly #file: OpenFile
  #parts: AddedRows[] = []
  /** Of all records, by their bytes. Made when it is needed. */
  #copies: Copies | undefined

  constructor(file: OpenFile) {
    this.#file = file
  }

  /** Adds the rows of a part. Whether one of them is a copy; then nothing may be added any more. */
  hasAny(rows: TimedRows): boolean {
    if (rows.hasCopy) return true
    const isFound = this.#copies === undefined && !rows.isTangled ? this.#isBefore(rows) : undefined
    const before = this.#parts
    if (isFound === undefined) {
      this.#copies ??= new Copies(this.#file)
      const copies = this.#copies
      this.#parts = []
      return [...before, rows].some(({ bounds }) => copies.hasAnyIn(bounds))
    }
    before.push({ ...rows, latest: Math.max(rows.last, before.at(-1)?.latest ?? rows.last) })
    return isFound
  }

  /** Whether one of the rows is in an earlier part. Undefined if that takes too long. */
  #isBefore({ times, bounds, first, last }: TimedRows): boolean | undefined {
    const earlier = new Map<number, [number, number][]>()
    let steps = 0
    for (let part = this.#parts.length - 1; part >= 0; part--) {
      const before = this.#parts[part]
      if (before === undefined || before.latest < first) break
      steps += before.times.length
      for (let row = 0; row < before.times.length; row++) {
        const time = before.times[row] ?? 0
        if (time < first || time > last) continue
        const place: [number, number] = [before.bounds[2 * row] ?? 0, before.bounds[2 * row + 1] ?? 0]
        const same = earlier.get(time)
        if (same === undefined) earlier.set(time, [place])
        else same.push(place)
      }
    }
    if (earlier.size === 0) return false
    for (let row = 0; row < times.length && steps < MAX_STEPS; row++) {
      const [start = 0, end = 0] = [bounds[2 * row], bounds[2 * row + 1]]
      for (const [otherStart, otherEnd] of earlier.get(times[row] ?? 0) ?? []) {
        steps++
        if (otherEnd - otherStart !== end - start) continue
        steps += STEPS_OF_BYTES
        if (this.#file.range(otherStart, otherEnd).equals(this.#file.range(start, end))) return true
      }
    }
    return steps < MAX_STEPS ? false : undefined
  }
}
