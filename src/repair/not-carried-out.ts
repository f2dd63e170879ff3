// The result for a session whose repair was started and not carried out: another process was faster, the
// session is gone, or the damage is unchanged.
import { statPath } from '../disk/files/read.ts'
import { RethreadError } from '../model/errors.ts'
import type { Change } from '../model/plan.ts'
import { filesOf } from '../model/plan.ts'
import type { SessionRef } from '../model/session.ts'
import type { RepairReport, Verdict } from '../model/verdict.ts'
import { failedVerdict } from './check/check.ts'
import type { Repaired } from './repair.ts'

export function notCarriedOut(session: SessionRef, before: Verdict, changes: Change[], error: RethreadError): Repaired {
  const report: RepairReport = {
    status: REFUSALS.has(error.code) ? 'refused' : 'failed',
    orphansFixed: 0,
    newChainDepth: before.chainDepth,
    edits: 0,
    error: reasonOf(error),
  }
  return { before, verdict: verdictAfter(session, before, changes, error), report, changes }
}

/** Another process was faster or is still writing. Nothing was changed. */
const REFUSALS = new Set<string>(['busy', 'locked', 'plan-outdated', 'database-busy'])

/** A failure to write says nothing about the session, so its verdict stays as it was. */
function verdictAfter(session: SessionRef, before: Verdict, changes: readonly Change[], error: RethreadError): Verdict {
  const accessError = accessErrorOf(session)
  if (accessError !== undefined) return failedVerdict(session, reasonOf(accessError))
  return isOvertaken(changes, error) ? { ...before, status: 'busy', reason: reasonOf(error) } : before
}

function accessErrorOf({ filePath }: SessionRef): RethreadError | undefined {
  try {
    statPath(filePath)
    return undefined
  } catch (error) {
    if (error instanceof RethreadError) return error
    throw error
  }
}

/** Also where another file of the session disappeared meanwhile. */
function isOvertaken(changes: readonly Change[], { code, path }: RethreadError): boolean {
  return REFUSALS.has(code) || (code === 'not-found' && path !== undefined && filesOf(changes).includes(path))
}

function reasonOf({ code, message, hint }: RethreadError): NonNullable<Verdict['reason']> {
  return { code, text: message, hint }
}
