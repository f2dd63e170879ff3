// Splits incoming chunks into lines at 0x0A only, and scans each chunk once. A line over the limit is
// counted, not stored.

const NEWLINE = 0x0a

export interface CollectedLine {
  /** Without its newline. Empty for a line over the limit. */
  bytes: Buffer
  /** The length of the line. */
  length: number
  isTooLong: boolean
}

export class LineCollector {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that end in this chunk. A line that is whole in the chunk shares its memory. */
  push(chunk: Buffer): CollectedLine[] {
    const lines: CollectedLine[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end))
      lines.push(this.#take())
      start = end + 1
    }
    this.#add(chunk.subarray(start))
    return lines
  }

  /** The bytes after the last newline. */
  flush(): CollectedLine | undefined {
    return this.#length === 0 ? undefined : this.#take()
  }

  #add(part: Buffer): void {
    if (part.length === 0) return
    this.#length += part.length
    if (this.#length > this.#maxBytes) this.#parts = []
    else this.#parts.push(part)
  }

  #take(): CollectedLine {
    const length = this.#length
    const isTooLong = length > this.#maxBytes
    const [only] = this.#parts
    const bytes = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts)
    this.#parts = []
    this.#length = 0
    return { bytes, length, isTooLong }
  }
}
