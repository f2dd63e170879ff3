// Whether the records of a log are exactly one branch, from the links that the scanner gives. Everything that is
// accepted here is accepted by `LinearLines`, which reads the bytes.
import type { ProvedLine } from '../../stores/prove-lines.ts'
import {
  isApart,
  MAIN_LANE,
  MAX_RECENT_BYTES,
  MAX_RECENT_LINES,
  NO_PARENT,
  OPENING,
  PARENT_END,
  UUID_KEY,
  UUID_LENGTH,
} from './linear.ts'
import type { LineLinks } from './skim-plan.ts'

const QUOTE_LENGTH = 1
const FIRST = Buffer.concat([OPENING, NO_PARENT])

/** What may stand between a record and its parent. */
const ANY = 0
const TOOL = 1
const PROGRESS = 2

export class LinkedRecords {
  #count = 0
  /** Of the last records, by their number: the hash of the id, where the line begins, and what it is. */
  readonly #ids = new Float64Array(MAX_RECENT_LINES)
  readonly #starts = new Float64Array(MAX_RECENT_LINES)
  readonly #kinds = new Uint8Array(MAX_RECENT_LINES)

  /** Before another log. */
  clear(): void {
    this.#count = 0
  }

  /** False if the records so far may be more than one branch. */
  add(line: ProvedLine, links: LineLinks): boolean {
    const { parent, id } = links
    if (parent === undefined) return !links.isLinked && isApart(line.bytes())
    if (id === undefined || !line.has(line.placeOf(id) - QUOTE_LENGTH - UUID_KEY.length, UUID_KEY)) return false
    if (parent === null ? this.#count > 0 || !line.has(0, FIRST) : !this.#follows(line, parent, links)) return false
    const place = this.#count++ % MAX_RECENT_LINES
    this.#ids[place] = line.hash(id)
    this.#starts[place] = line.start
    this.#kinds[place] = links.isProgress ? PROGRESS : links.isTool ? TOOL : ANY
    return true
  }

  #follows(line: ProvedLine, parent: number, links: LineLinks): boolean {
    if (line.placeOf(parent) !== OPENING.length + QUOTE_LENGTH || line.lengthOf(parent) !== UUID_LENGTH) return false
    if (!line.has(PARENT_END, MAIN_LANE)) return false
    const wanted = line.hash(parent)
    for (let number = this.#count - 1; number >= Math.max(0, this.#count - MAX_RECENT_LINES); number--) {
      const place = number % MAX_RECENT_LINES
      if (this.#ids[place] === wanted) return line.start - (this.#starts[place] ?? 0) <= MAX_RECENT_BYTES
      // Results of parallel calls are siblings, and progress reports branch off.
      const kind = this.#kinds[place]
      if (kind !== PROGRESS && !(links.isResult && kind === TOOL)) return false
    }
    return false
  }
}
