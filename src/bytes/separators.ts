// U+2028 and U+2029: legal inside a JSON string, but a line end for readers that follow Unicode.

export const LINE_SEPARATOR = Buffer.from([0xe2, 0x80, 0xa8])
export const PARAGRAPH_SEPARATOR = Buffer.from([0xe2, 0x80, 0xa9])
export const SEPARATOR_BYTES = 3

const CHUNK_BYTES = 1024 * 1024

/** Their places, in the order of the file. */
export function* separatorsIn(file: {
  size: number
  range(start: number, end: number): Buffer
}): Generator<number, void, void> {
  for (let from = 0; from < file.size; from += CHUNK_BYTES) {
    // A separator across the border is found with the chunk it starts in.
    const chunk = file.range(from, Math.min(file.size, from + CHUNK_BYTES + SEPARATOR_BYTES - 1))
    const found = [...placesOf(chunk, LINE_SEPARATOR), ...placesOf(chunk, PARAGRAPH_SEPARATOR)].sort((a, b) => a - b)
    for (const at of found) if (at < CHUNK_BYTES) yield from + at
  }
}

function* placesOf(bytes: Buffer, needle: Buffer): Generator<number, void, void> {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + SEPARATOR_BYTES)) yield at
}
