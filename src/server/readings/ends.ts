// Merges the ends of several readings of one conversation.
import type { Finding } from '../../model/finding.ts'
import { Findings } from '../../model/finding.ts'
import type { PartialCause, PartialCode, ReadingEnd } from '../../model/reading.ts'
import { endReading, isPartial } from '../../model/reading.ts'

/** These follow from the findings; all others are causes of their own. */
const FROM_FINDINGS: readonly PartialCode[] = ['still-being-written', 'records-unreadable']

/** `offset` is where the later reading continued. It has replaced the findings after that offset. */
export function joinEnds(earlier: ReadingEnd, later: ReadingEnd, offset: number): ReadingEnd {
  const findings = new Findings()
  for (const finding of earlier.findings) if (isBefore(finding, offset)) findings.add(finding)
  for (const finding of later.findings) findings.add(finding)
  findings.beyondLimit += earlier.moreFindings + later.moreFindings
  const progress = isPartial(later)
    ? { parsedUpTo: later.parsedUpTo, recovered: true }
    : { parsedUpTo: offset, recovered: true }
  const { facts, counts, branches, continued } = later
  return endReading({ facts, counts, branches, continued }, findings, progress, ownCause(later))
}

function isBefore({ at }: Finding, offset: number): boolean {
  return 'table' in at || at.start < offset
}

function ownCause(end: ReadingEnd): PartialCause | undefined {
  return isPartial(end) && !FROM_FINDINGS.includes(end.error.code) ? end.error : undefined
}
