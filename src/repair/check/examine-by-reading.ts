// For stores that rethread can read but not repair: reports the reader's findings and refuses each of them.
import type { Store } from '../../agents/store.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Examination } from './examination.ts'
import { readToEnd } from './reach.ts'

export async function examineByReading(store: Store, session: SessionRef, isLive: boolean): Promise<Examination> {
  const { shown, end } = await readToEnd(store.read(session))
  const { findings: read, moreFindings, loads: now = shown, loadsRepaired = shown } = end
  // A reader cannot know whether the rest of a record is still to come.
  const findings = isLive ? read : read.map(ofDeadWriter)
  const { repairCommand: mendedBy } = store
  const reason =
    mendedBy === undefined
      ? 'Sessions in this format can be read, but not repaired.'
      : `Sessions in this format have their own repair command: ${mendedBy}`
  return {
    findings,
    moreFindings,
    changes: [],
    refusals: [...new Set(findings.map(({ damage }) => damage))].map(damage => {
      return { damage, reason, file: session.filePath }
    }),
    loads: { now, afterRepair: Math.max(now, loadsRepaired) },
    chainDepth: now,
    orphanCount: 0,
    messageCount: shown,
    project: end.facts.project,
    ...(mendedBy === undefined || findings.length === 0 ? {} : { mendedBy }),
  }
}

function ofDeadWriter(finding: Finding): Finding {
  return finding.severity === 'updating' ? { ...finding, severity: 'lost' } : finding
}
