// Splits bytes into lines at 0x0A only: U+2028, a lone CR and other separators of text readers stay inside.

export interface Line {
  /** Without the newline. A view that is valid until the next line is requested. */
  bytes: Buffer
  start: number
  end: number
  /** False for a last line without a newline. */
  terminated: boolean
  /**
   * True if the line is longer than `MAX_LINE_BYTES`: then `bytes` is empty and the line can only be counted.
   */
  tooLong: boolean
}

/** JavaScript strings are limited to 512 MiB. Agents write records of up to some 100 MB. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

export function* splitLines(chunks: Iterable<Buffer>, startOffset = 0): Generator<Line, void, void> {
  const line = new LineParts(startOffset)
  for (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      yield line.end(chunk.subarray(from, at), true)
      from = at + 1
    }
    if (from < chunk.length) line.add(chunk.subarray(from))
  }
  if (line.length > 0) yield line.end(NOTHING, false)
}

/** A line whose bytes arrive in parts. */
export class LineParts {
  length = 0
  #start: number
  #held: Buffer[] = []

  constructor(start: number) {
    this.#start = start
  }

  add(part: Buffer): void {
    // A line beyond the limit is counted, not stored, so that memory stays bounded. Copied, because the
    // source may reuse the memory of its chunks.
    if (this.length <= MAX_LINE_BYTES) this.#held.push(Buffer.from(part))
    else this.#held = []
    this.length += part.length
  }

  /** The line with its last part, which is not copied. The next line starts after it. */
  end(rest: Buffer, terminated: boolean): Line {
    const start = this.#start
    const length = this.length + rest.length
    const end = start + length
    const tooLong = length > MAX_LINE_BYTES
    const held = this.#held
    this.#start = end + 1
    this.length = 0
    // The consumer may take long, so the pieces of a long line are freed before it is given.
    this.#held = []
    if (tooLong) return { bytes: NOTHING, start, end, terminated, tooLong }
    const bytes = held.length === 0 ? rest : Buffer.concat([...held, rest], length)
    return { bytes, start, end, terminated, tooLong }
  }
}
