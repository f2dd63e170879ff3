// The totals of many verdicts, as one line and as one JSON object.
import { formatNumber } from '../../model/format-number.ts'
import { totalBytes } from '../../model/shared-bytes.ts'
import type { Status, Verdict } from '../../model/verdict.ts'
import { formatSize, plural } from './words.ts'

export type Totals = Record<Status, number> & { sessions: number; findings: number; bytes: number }

export function totalsOf(verdicts: readonly Verdict[]): Totals {
  const totals: Totals = {
    sessions: 0,
    healthy: 0,
    corrupted: 0,
    missing: 0,
    unreadable: 0,
    busy: 0,
    findings: 0,
    bytes: totalBytes(verdicts),
  }
  for (const verdict of verdicts) {
    totals.sessions++
    totals[verdict.status]++
    totals.findings += verdict.findings.length + verdict.moreFindings
  }
  return totals
}

const WORDS: [Status, string][] = [
  ['healthy', 'healthy'],
  ['corrupted', 'damaged'],
  ['busy', 'busy'],
  ['unreadable', 'unreadable'],
  ['missing', 'missing'],
]

export function describeTotals(totals: Totals): string {
  const parts = WORDS.flatMap(([status, word]) =>
    totals[status] > 0 ? [`${formatNumber(totals[status])} ${word}`] : [],
  )
  return `${plural(totals.sessions, 'session')} (${formatSize(totals.bytes)}) checked: ${parts.join(', ') || 'none'}`
}
