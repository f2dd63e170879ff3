// Events that could not be read, as findings.
import { quote } from '../../disk/files/system-errors.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Skipped, SkipReason } from '../store/store.ts'

const REASONS: Record<SkipReason, string> = {
  checksum: 'has changed since it was written: its checksum does not match',
  'not-json': 'is not JSON',
  'wrong-type': 'has the wrong type',
  missing: 'is missing',
  unreadable: 'is on a damaged page of the database',
}

export function describeSkipped({ filePath }: SessionRef, { at, reason }: Skipped): { text: string; finding: Finding } {
  const text = `Event ${at} ${REASONS[reason]}. It is left out.`
  return {
    text,
    finding: {
      damage: 'unreadable-row',
      severity: 'lost',
      at: { file: filePath, table: 'events', row: at },
      text,
      hint: `Keep a copy before anything else: cp ${quote(filePath)}* /some/other/disk/. What SQLite can still find: sqlite3 ${quote(filePath)} .recover`,
    },
  }
}
