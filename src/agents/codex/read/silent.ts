// Events of which nothing is shown, whatever else they say. Where a log is read in parts, they are not parsed: the first
// pass proves their lines and finds out where they are.
import { statIfThere } from '../../../disk/files/handles.ts'
import { type FileIdentity, identityOf } from '../../../disk/files/read.ts'
import type { KnownLines } from '../../stores/json-lines.ts'
import type { ProvedLine } from '../../stores/prove-lines.ts'
import type { Json } from '../../stores/values.ts'

/** Records begin with their time, in the usual form. Of others, the place of the time is not kept. */
const TIME_START = '{"timestamp":"'.length
const TIME_LENGTH = '2026-11-15T09:00:00.000Z'.length

/** What the first pass knows of a part. Plain data. */
export interface SilentPlaces {
  /** Where their lines start, in the order of the log. */
  starts: Float64Array
  /** That of the file: when it was written since then, they may be other ones. */
  mark: string
}

/** Collects them during the first pass. */
export class SilentLines {
  readonly #mark: string
  #starts: number[] = []

  constructor({ mark }: FileIdentity) {
    this.#mark = mark
  }

  /** `time` is the slot of its time. */
  add(line: ProvedLine, time: number): void {
    if (line.placeOf(time) === TIME_START && line.lengthOf(time) === TIME_LENGTH) this.#starts.push(line.start)
  }

  /** Those that were added since the last time. */
  take(): SilentPlaces {
    const starts = new Float64Array(this.#starts)
    this.#starts = []
    return { starts, mark: this.#mark }
  }
}

/** Stands for what such an event says. */
const SILENT = { type: 'task_started' }

/** Gives their values while a part is read from the start to the end. */
export class KnownSilent implements KnownLines {
  readonly #path: string
  readonly #places: SilentPlaces
  #next = 0

  constructor(path: string, places: SilentPlaces, { mark }: FileIdentity) {
    this.#path = path
    this.#places = mark === places.mark ? places : { ...places, starts: new Float64Array() }
  }

  valueAt(place: number, bytes: Buffer, from: number): Json | undefined {
    const { starts } = this.#places
    while ((starts[this.#next] ?? Number.POSITIVE_INFINITY) < place) this.#next++
    if (starts[this.#next] !== place) return undefined
    const time = bytes.toString('latin1', from + TIME_START, from + TIME_START + TIME_LENGTH)
    return { timestamp: time, type: 'event_msg', payload: SILENT }
  }

  /** Whether the file was written since it was opened, so that what was given is in doubt. */
  isDoubtful(): boolean {
    if (this.#places.starts.length === 0) return false
    const stats = statIfThere(this.#path, 'stat')
    return stats === undefined || identityOf(stats).mark !== this.#places.mark
  }
}
