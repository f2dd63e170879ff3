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
  let held: Buffer[] = []
  let heldBytes = 0
  let lineStart = startOffset
  for (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const end = lineStart + heldBytes + (at - from)
      yield makeLine(held, heldBytes, chunk.subarray(from, at), lineStart, end, true)
      held = []
      heldBytes = 0
      lineStart = end + 1
      from = at + 1
    }
    if (from < chunk.length) {
      // A line beyond the limit is counted, not stored, so that memory stays bounded. Copied, because the
      // source may reuse the memory of its chunks.
      if (heldBytes <= MAX_LINE_BYTES) held.push(Buffer.from(chunk.subarray(from)))
      else held = []
      heldBytes += chunk.length - from
    }
  }
  if (heldBytes > 0) yield makeLine(held, heldBytes, NOTHING, lineStart, lineStart + heldBytes, false)
}

function makeLine(
  held: Buffer[],
  heldBytes: number,
  rest: Buffer,
  start: number,
  end: number,
  terminated: boolean,
): Line {
  const tooLong = heldBytes + rest.length > MAX_LINE_BYTES
  if (tooLong) return { bytes: NOTHING, start, end, terminated, tooLong }
  const bytes = held.length === 0 ? rest : Buffer.concat([...held, rest], heldBytes + rest.length)
  // The consumer may take long, so the pieces of a long line are freed before it is given.
  held.length = 0
  return { bytes, start, end, terminated, tooLong }
}
