// The usage of agents as a table of the last months. Pure.
import type { ApiUsage, Overview } from '../../../src/server/protocol.ts'
import type { Period } from '../catalog/query.ts'
import { addUsage, sentTokens } from '../common/usage-words.ts'

export interface UsageRow {
  agent: string
  all: ApiUsage
  /** By month; absent if there was none. */
  byMonth: ReadonlyMap<string, ApiUsage>
}

export interface UsageTable {
  /** Newest first. */
  months: string[]
  /** Highest usage first. */
  rows: UsageRow[]
}

const SHOWN_MONTHS = 4
const MONTH = /^(\d{4})-(\d\d)$/

export function makeUsageTable(usage: Overview['usage']): UsageTable {
  const months = [...new Set(usage.map(({ month }) => month))]
    .filter(month => MONTH.test(month))
    .sort()
    .reverse()
  const rows = [...Map.groupBy(usage, ({ agent }) => agent)].map(([agent, lines]) => ({
    agent,
    all: addUsage(lines.map(line => line.usage)),
    byMonth: new Map(lines.map(line => [line.month, line.usage])),
  }))
  rows.sort((one, other) => sizeOf(other.all) - sizeOf(one.all))
  return { months: months.slice(0, SHOWN_MONTHS), rows }
}

function sizeOf(usage: ApiUsage): number {
  return sentTokens(usage) + usage.output
}

/** "November 2026", or "Nov 2026" if short. */
export function monthWords(month: string, length: 'long' | 'short' = 'long'): string {
  const [, year, number] = MONTH.exec(month) ?? []
  if (year === undefined || number === undefined) return month
  return new Date(Number(year), Number(number) - 1, 1).toLocaleDateString('en-GB', { month: length, year: 'numeric' })
}

export function periodOf(month: string): Period | null {
  const [, year, number] = MONTH.exec(month) ?? []
  if (year === undefined || number === undefined) return null
  const first = (after: number) => new Date(Number(year), Number(number) - 1 + after, 1).toISOString()
  return { label: monthWords(month), since: first(0), until: first(1) }
}
