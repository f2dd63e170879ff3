// The lines of the list: group headings and the rows below them. Pure.
import type { SessionRow } from '../../../src/server/protocol.ts'
import { formatDay } from '../common/format.ts'
import type { Arrange } from './query.ts'

export interface Heading {
  type: 'heading'
  key: string
  label: string
  /** Absent until the end of the group is loaded. */
  count?: number
}

export interface RowItem {
  type: 'row'
  key: string
  row: SessionRow
  /** The index among the rows, without headings. */
  index: number
}

export type Item = Heading | RowItem

interface Names {
  agentTitle: (agent: string) => string
  shortPath: (path: string) => string
}

export function makeItems(rows: readonly SessionRow[], arrange: Arrange, isWhole: boolean, names: Names): Item[] {
  const items: Item[] = []
  let heading: Heading | undefined
  let since = 0
  rows.forEach((row, index) => {
    const label = groupOf(row, arrange, names)
    if (label !== undefined && label !== heading?.label) {
      if (heading !== undefined) heading.count = index - since
      // A group that appears twice needs two different keys.
      heading = { type: 'heading', key: `heading ${label} ${row.key}`, label }
      since = index
      items.push(heading)
    }
    items.push({ type: 'row', key: row.key, row, index })
  })
  if (heading !== undefined && isWhole) heading.count = rows.length - since
  return items
}

function groupOf(row: SessionRow, arrange: Arrange, { agentTitle, shortPath }: Names): string | undefined {
  switch (arrange) {
    case 'day':
      return row.pinned === true ? 'Pinned' : formatDay(row.updatedAt)
    case 'project':
      return row.project === null ? 'No project' : shortPath(row.project)
    case 'agent':
      return agentTitle(row.agent)
    case 'largest':
    case 'longest':
    case 'title':
      return undefined
  }
}

/** The heading above an item. */
export function headingAt(items: readonly Item[], index: number): Heading | undefined {
  for (let at = Math.min(index, items.length - 1); at >= 0; at--) {
    const item = items[at]
    if (item?.type === 'heading') return item
  }
  return undefined
}

/** The row `by` rows away, or the first or last row. */
export function rowFrom(items: readonly Item[], key: string | null, by: number): RowItem | undefined {
  const rows = items.filter(item => item.type === 'row')
  if (rows.length === 0) return undefined
  const at = rows.findIndex(row => row.key === key)
  if (at === -1) return by < 0 ? rows[rows.length - 1] : rows[0]
  return rows[Math.min(rows.length - 1, Math.max(0, at + by))]
}
