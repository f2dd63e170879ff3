// Turns verdicts into messages for clients. Every status of a verdict stays distinct.
import { openFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import { isUnrecoverable } from '../../model/verdict-words.ts'
import { failedVerdict } from '../../repair/check/failed-verdict.ts'
import type { SessionStatus, SessionStatusMessage } from '../protocol.ts'

export function shownStatus(verdict: Verdict): SessionStatus {
  return isUnrecoverable(verdict) ? 'unrecoverable' : verdict.status
}

export function statusMessage(key: string, verdict: Verdict): SessionStatusMessage {
  const { sessionId, agent, chainDepth, loads, findings, moreFindings, reason } = verdict
  return {
    type: 'session.status',
    key,
    sessionId,
    agent,
    status: shownStatus(verdict),
    chainDepth,
    loads,
    findings: findings.length + moreFindings,
    ...(reason === undefined ? {} : { reason: reason.text }),
  }
}

export function refusedReport({ chainDepth }: Verdict, { code, message: text, hint }: RethreadError): RepairReport {
  const nothing = { orphansFixed: 0, newChainDepth: chainDepth, edits: 0 }
  return { status: 'refused', ...nothing, error: { code, text, hint } }
}

/** `session` is the last known state. */
export function missingVerdict(session: SessionRef | undefined, key: string): Verdict {
  if (session === undefined) throw unknownSession(key)
  return failedVerdict(session, {
    code: 'not-found',
    text: `${session.filePath} does not exist.`,
    hint: 'A copy may be among the repairs: rethread repairs',
  })
}

/**
 * `last` is the session as it was when it left the list. If something else is in its place now, the error of
 * opening it is returned.
 */
export function whyGone(name: string, last: SessionRef | undefined): RethreadError {
  if (last === undefined) return unknownSession(name)
  try {
    openFile(last.filePath, last.storeRoot).close()
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    const { code, message: text, hint, path } = error
    return code === 'not-found' ? new RethreadError({ code: 'session-not-found', text, hint, path }) : error
  }
  return unknownSession(last.sessionId)
}

export function unknownSession(name: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `The session ${name} does not exist.`,
    hint: 'List all sessions: rethread list',
  })
}
