// The verdict on a session that could not be examined.
import type { SessionRef } from '../../model/session.ts'
import type { Status, Verdict } from '../../model/verdict.ts'

export function failedVerdict(session: SessionRef, reason: NonNullable<Verdict['reason']>): Verdict {
  const { agent, sessionId, filePath, fileSize } = session
  return {
    agent,
    sessionId,
    filePath,
    status: STATUS_OF_ERROR[reason.code] ?? 'unreadable',
    chainDepth: 0,
    orphanCount: 0,
    messageCount: 0,
    fileSize,
    loads: { now: 0, afterRepair: 0 },
    findings: [],
    moreFindings: 0,
    refusals: [],
    reason,
  }
}

/** Every other code means that the session exists and cannot be read. */
const STATUS_OF_ERROR: Record<string, Status> = {
  'not-found': 'missing',
  'session-not-found': 'missing',
  'database-busy': 'busy',
  busy: 'busy',
  locked: 'busy',
}
