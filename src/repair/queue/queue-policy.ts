// Processes one session: a cached verdict or a check, then the repair if the policy allows it.

import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import type { Repaired } from '../repair.ts'
import type { Origin } from '../verdicts/origin.ts'
import { isCheckedOnDisk } from '../verdicts/origin.ts'
import type { Verdicts } from '../verdicts/verdict-cache.ts'
import type { Job, Priority } from './job.ts'
import { asError } from './queue-events.ts'

/** `on-resume` repairs a session only when it is resumed. */
export type RepairPolicy = 'on-resume' | 'all' | 'never'

export interface JobHandlers {
  /** Only an urgent `stop` aborts the signal. */
  check(session: SessionRef, signal?: AbortSignal): Promise<Verdict>
  /** The repair stores the new verdict: it knows which files its last check read. */
  repair(session: SessionRef): Promise<Pick<Repaired, 'verdict' | 'report'>>
  verdicts: Pick<Verdicts, 'get' | 'set' | 'invalidate'>
}

export async function verdictFor(
  handlers: JobHandlers,
  job: Job,
  origin: Origin,
  signal: AbortSignal,
): Promise<Verdict> {
  const { session } = job
  const mayRecall = isCheckedOnDisk(origin) || !job.isAwaited
  const known = mayRecall ? handlers.verdicts.get(session) : undefined
  if (known !== undefined) return known
  const verdict = await handlers.check(session, signal)
  handlers.verdicts.set(session, verdict, origin)
  return verdict
}

export function wantsRepair(policy: RepairPolicy, priority: Priority, verdict: Verdict): boolean {
  if (verdict.status !== 'corrupted') return false
  switch (policy) {
    case 'on-resume':
      return priority === 'active'
    case 'all':
      return true
    case 'never':
      return false
  }
}

export type JobOutcome = Pick<Repaired, 'verdict' | 'report'> | { verdict: Verdict; error: Error }

/** A failed repair leaves the session corrupted and no verdict cached, so that it is tried again. */
export async function repair(handlers: JobHandlers, session: SessionRef, before: Verdict): Promise<JobOutcome> {
  // Before anything is written, so that a crash in the middle leaves no
  // verdict on a file that is no longer the same.
  handlers.verdicts.invalidate(session)
  const outcome = await attemptRepair(handlers, session, before)
  if ('error' in outcome) handlers.verdicts.invalidate(session)
  return outcome
}

async function attemptRepair(handlers: JobHandlers, session: SessionRef, before: Verdict): Promise<JobOutcome> {
  try {
    const { verdict, report } = await handlers.repair(session)
    return report.status === 'failed' ? { verdict, error: errorOf(session, report) } : { verdict, report }
  } catch (error) {
    return { verdict: before, error: asError(error) }
  }
}

function errorOf(session: SessionRef, { error }: RepairReport): Error {
  return new RethreadError({
    code: 'repair-failed',
    text: error?.text ?? `Session ${session.sessionId} could not be repaired.`,
    hint: error?.hint ?? `See what is wrong with it: ${paste('rethread check', session.sessionId)}`,
    path: session.filePath,
    cause: error,
  })
}
