// Whether a log of which no line is kept may hold a line twice. A copy has the time of its original. Times in a log
// increase, or nearly: a line is compared with the few before it that are not older, and only those with the same time
// and length by their bytes.
import type { ReadOnceFile } from '../../disk/files/read-once.ts'

interface Place {
  start: number
  end: number
}

/** A log in which lines go back so far that more is compared takes less time to be read. */
const MAX_STEPS = 100_000
const STEPS_OF_BYTES = 1000

export class TimedLines {
  latest = Number.NEGATIVE_INFINITY
  readonly #file: ReadOnceFile
  readonly #times: number[] = []
  /** For each line the latest time up to it. */
  readonly #latest: number[] = []
  readonly #places: Place[] = []
  #steps = 0

  constructor(file: ReadOnceFile) {
    this.#file = file
  }

  /** False if the line is a copy, or if that cannot be said. */
  add({ start, end }: Place, time: number): boolean {
    if (time > this.latest) this.latest = time
    else if (!this.#isNew({ start, end }, time)) return false
    this.#times.push(time)
    this.#latest.push(this.latest)
    this.#places.push({ start, end })
    return true
  }

  #isNew({ start, end }: Place, time: number): boolean {
    for (let row = this.#times.length - 1; row >= 0 && (this.#latest[row] ?? 0) >= time; row--) {
      if (this.#steps++ > MAX_STEPS) return false
      const before = this.#places[row]
      if (before === undefined || this.#times[row] !== time || before.end - before.start !== end - start) continue
      this.#steps += STEPS_OF_BYTES
      if (this.#read(before).equals(this.#read({ start, end }))) return false
    }
    return true
  }

  #read({ start, end }: Place): Buffer {
    const parts: Buffer[] = []
    for (const chunk of this.#file.chunks(start, end, Buffer.allocUnsafe(end - start))) parts.push(Buffer.from(chunk))
    return Buffer.concat(parts)
  }
}
