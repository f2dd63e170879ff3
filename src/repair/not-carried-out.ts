// What is said of a session whose repair was begun and not carried out: somebody was faster, the session is gone, or it is as damaged as before.
import { statPath } from '../disk/files/read.ts'
import { RethreadError } from '../model/errors.ts'
import type { Change } from '../model/plan.ts'
import { plannedDatabases } from '../model/plan.ts'
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

/** Somebody was faster, or is still there: nothing was touched. */
const REFUSALS = new Set<string>(['busy', 'locked', 'plan-outdated', 'database-busy'])

/** A failure to write says nothing about the session, which is as damaged as before. */
function verdictAfter(session: SessionRef, before: Verdict, changes: readonly Change[], error: RethreadError): Verdict {
  const trouble = troubleOf(session)
  if (trouble !== undefined) return failedVerdict(session, reasonOf(trouble))
  return isOvertaken(changes, error) ? { ...before, status: 'busy', reason: reasonOf(error) } : before
}

function troubleOf({ filePath }: SessionRef): RethreadError | undefined {
  try {
    statPath(filePath)
    return undefined
  } catch (error) {
    if (error instanceof RethreadError) return error
    throw error
  }
}

/** Also where one of the session's other files went away meanwhile. */
function isOvertaken(changes: readonly Change[], { code, path }: RethreadError): boolean {
  return REFUSALS.has(code) || (code === 'not-found' && path !== undefined && plannedDatabases(changes).includes(path))
}

function reasonOf({ code, message, hint }: RethreadError): NonNullable<Verdict['reason']> {
  return { code, text: message, hint }
}
