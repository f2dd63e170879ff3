// The table: what was measured, what it is compared with, what was wanted.

export interface Row {
  name: string
  measured: string
  /** The same files with another tool, in the same run. */
  against: string
  ratio: string
  target: string
  /** Undefined for a row that has no target and is there to be looked at. */
  isMet: boolean | undefined
}

const HEAD = ['', 'measured', 'compared with', 'ratio', 'target', 'met']

export function formatTable(rows: Row[]): string {
  const cells = [HEAD, ...rows.map(row => [row.name, row.measured, row.against, row.ratio, row.target, metWord(row)])]
  const widths = HEAD.map((_, column) => Math.max(3, ...cells.map(line => line[column]?.length ?? 0)))
  const lines = cells.map(line => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

function metWord({ isMet }: Row): string {
  return isMet === undefined ? '' : isMet ? 'yes' : 'NO'
}

export function formatMs(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(0)} ms`
}

export function formatRatio(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 1 : 0)} ×`
}
