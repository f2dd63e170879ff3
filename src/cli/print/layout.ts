// Fits text into columns: tables with one flexible column, cut lines, wrapped lines. Wide characters count as
// two columns.
import stringWidth from 'fast-string-width'

export interface Column {
  header: string
  align?: 'left' | 'right'
  /** This column is shortened when the line is too long. */
  flexible?: boolean
}

const GAP = '  '
const LEAST_FLEXIBLE_COLUMNS = 16

export function renderTable(
  columns: Column[],
  rows: string[][],
  width: number,
  style: (line: string, row: number) => string,
): string {
  const all = [columns.map(column => column.header), ...rows]
  const widths = columns.map((_, index) => Math.max(...all.map(row => stringWidth(row[index] ?? ''))))
  const flexible = columns.findIndex(column => column.flexible)
  const total = widths.reduce((sum, columnWidth) => sum + columnWidth, 0) + GAP.length * (columns.length - 1)
  if (flexible !== -1 && total > width)
    widths[flexible] = Math.max(LEAST_FLEXIBLE_COLUMNS, (widths[flexible] ?? 0) - (total - width))
  return all
    .map((row, rowIndex) => {
      const cells = columns.map((column, index) => pad(row[index] ?? '', widths[index] ?? 0, column.align ?? 'left'))
      return style(cells.join(GAP).trimEnd(), rowIndex - 1)
    })
    .join('\n')
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const cut = fitTo(text, width)
  const space = ' '.repeat(Math.max(0, width - stringWidth(cut)))
  return align === 'left' ? cut + space : space + cut
}

/** Cuts between whole characters and adds an ellipsis. */
export function fitTo(text: string, width: number): string {
  // Most lines are. To divide others into characters takes 30 ms before the first.
  if (/^[ -~]*$/.test(text)) return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
  if (stringWidth(text) <= width) return text
  let result = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(result + segment) > width - 1) break
    result += segment
  }
  return `${result}…`
}

/** Longer lines are hard to read, however wide the terminal is. */
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
