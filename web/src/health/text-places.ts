// Converts a line and a column in bytes, as the server counts them, to a position in a JavaScript string.

/** The index of the character, or the end of the line if the column is beyond it. */
export function placeIn(text: string, line: number, column: number): number {
  let start = 0
  for (let at = 1; at < line; at++) {
    const newline = text.indexOf('\n', start)
    if (newline === -1) return text.length
    start = newline + 1
  }
  const newline = text.indexOf('\n', start)
  const words = text.slice(start, newline === -1 ? text.length : newline)
  let bytes = 1
  let length = 0
  for (const character of words) {
    if (bytes >= column) break
    bytes += new TextEncoder().encode(character).length
    length += character.length
  }
  return start + length
}

export function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}
