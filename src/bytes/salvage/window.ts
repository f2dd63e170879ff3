// Bytes of any length, with one stretch at a time in memory.
import { BACKSLASH } from '../ascii.ts'
import type { DocumentBytes } from '../outline.ts'

export const WINDOW_BYTES = 256 * 1024
const MAX_PATTERN_BYTES = 4096

export class ByteWindow {
  readonly #bytes: DocumentBytes
  #held: Buffer = Buffer.alloc(0)
  #start = 0
  /** How many bytes were scanned: an expensive search can be stopped. */
  spent = 0

  constructor(bytes: DocumentBytes) {
    this.#bytes = bytes
  }

  get size(): number {
    return this.#bytes.size
  }

  range(start: number, end: number): Buffer {
    return this.#bytes.range(start, Math.min(end, this.size))
  }

  at(place: number): number | undefined {
    if (place < this.#start || place >= this.#start + this.#held.length) this.#hold(place)
    return this.#held[place - this.#start]
  }

  /** Some of the bytes from `place` on. Empty at the end. */
  from(place: number): Buffer {
    if (place >= this.size) return Buffer.alloc(0)
    if (place < this.#start || place >= this.#start + this.#held.length) this.#hold(place)
    return this.#held.subarray(place - this.#start)
  }

  /**
   * The first place at or after `place` whose byte is not in the set. The end of the bytes if there is none.
   */
  skip(place: number, bytes: ReadonlySet<number>): number {
    let at = place
    for (let byte = this.at(at); byte !== undefined && bytes.has(byte); byte = this.at(at)) at++
    return at
  }

  /** The last place at or before `place` whose previous byte is not in the set. */
  skipBack(place: number, bytes: ReadonlySet<number>, least = 0): number {
    let at = place
    while (at > least && bytes.has(this.#before(at))) at--
    return at
  }

  /** The next place of a byte. */
  indexOf(byte: number, place: number): number | undefined {
    for (let at = place; at < this.size; ) {
      const bytes = this.from(at)
      if (bytes.length === 0) return undefined
      const found = bytes.indexOf(byte)
      this.spent += found === -1 ? bytes.length : found
      if (found !== -1) return at + found
      at += bytes.length
    }
    return undefined
  }

  /**
   * The first match of a byte pattern whose quotes are not escaped. A match is never longer than a few
   * kilobytes.
   */
  search(pattern: RegExp, place: number, end = this.size): { start: number; match: RegExpExecArray } | undefined {
    for (let at = place; at < end; at += WINDOW_BYTES) {
      const bytes = this.range(at, Math.min(end, at + WINDOW_BYTES + MAX_PATTERN_BYTES))
      this.spent += bytes.length
      const text = bytes.toString('latin1')
      const finder = new RegExp(pattern, 'g')
      for (let match = finder.exec(text); match !== null && match.index < WINDOW_BYTES; match = finder.exec(text)) {
        if (this.at(at + match.index - 1) !== BACKSLASH) return { start: at + match.index, match }
        finder.lastIndex = match.index + 1
      }
    }
    return undefined
  }

  /** How many bytes of white space precede `place` on its line. Undefined if other bytes do. */
  column(place: number): number | undefined {
    const start = this.skipBack(place, BLANKS_OF_LINE)
    return start === 0 || this.at(start - 1) === 0x0a ? place - start : undefined
  }

  #before(place: number): number {
    if (place - 1 < this.#start || place > this.#start + this.#held.length) {
      this.#start = Math.max(0, place - WINDOW_BYTES)
      this.#held = this.#bytes.range(this.#start, place)
    }
    return this.#held[place - 1 - this.#start] ?? 0
  }

  #hold(place: number): void {
    this.#start = Math.max(0, place)
    this.#held = this.#bytes.range(this.#start, Math.min(this.size, this.#start + WINDOW_BYTES))
  }
}

const BLANKS_OF_LINE: ReadonlySet<number> = new Set([0x20, 0x09])
/** JSON's white space. */
export const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
/** With NULs, which a crash leaves in place of white space. */
export const BLANKS: ReadonlySet<number> = new Set([...SPACES, 0])
/** With commas: everything that may stand between two values, any number of times. */
export const GLUE: ReadonlySet<number> = new Set([...BLANKS, 0x2c])
