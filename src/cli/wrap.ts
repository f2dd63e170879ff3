// Breaking lines between words, as wide as the terminal is; a line that is narrow enough stays as it is.
import stringWidth from 'string-width'

/** A line of text that is longer than this is hard to read, however wide the terminal is. */
const MAX_COLUMNS = 100

export function wrapLine(line: string, columns: number): string[] {
  const width = Math.min(columns, MAX_COLUMNS)
  if (line.length <= width && stringWidth(line) <= width) return [line]
  const indent = /^\s*/.exec(line)?.[0].slice(0, width / 2) ?? ''
  const lines: string[] = []
  let current = indent
  let used = indent.length
  for (const word of line.slice(indent.length).split(/(?<= )/)) {
    const wordWidth = stringWidth(word.trimEnd())
    if (used + wordWidth > width && used > indent.length) {
      lines.push(current.trimEnd())
      current = indent
      used = indent.length
    }
    current += word
    used += stringWidth(word)
  }
  return [...lines, current.trimEnd()]
}
