// One session in the queue: how urgent it is, who waits for it, and what it was like when its turn came.

import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Origin } from '../verdicts/origin.ts'
import { sessionKey } from '../verdicts/origin.ts'

/** `active`: somebody wants to go on with it now. `visible`: on the screen. `background`: open elsewhere. `disk`: merely there. */
export type Priority = 'active' | 'visible' | 'background' | 'disk'

export const RANK: Record<Priority, number> = { active: 3, visible: 2, background: 1, disk: 0 }

/** A timer that is set for longer goes off at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Waiter {
  resolve(verdict: Verdict): void
  reject(error: Error): void
}

export interface Job {
  readonly key: string
  session: SessionRef
  priority: Priority
  /** Somebody must have the truth, and not what was true when the session was found. */
  isAwaited: boolean
  readonly waiters: Set<Waiter>
  /** Taken when its turn came, before anything was read. */
  origin?: Origin
  /** Asked for while this one was being processed, and its session was no longer what it had been. */
  next?: Job
}

export function makeJob(session: SessionRef, priority: Priority): Job {
  return { key: sessionKey(session), session, priority, isAwaited: false, waiters: new Set() }
}

/** The newest reference knows most. */
export function renew(job: Job, session: SessionRef): void {
  if (session.updatedAt >= job.session.updatedAt) job.session = session
}

/** Returns whether it became more urgent; it never becomes less so. */
export function raise(job: Job, priority: Priority): boolean {
  if (RANK[priority] <= RANK[job.priority]) return false
  job.priority = priority
  return true
}

/** A promise for the verdict on `job`. When the time is over it is rejected, and the job continues. */
export function awaitVerdict(job: Job, timeoutMs: number): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
  const waiter: Waiter = { resolve, reject }
  const timer = setTimeout(
    () => {
      job.waiters.delete(waiter)
      reject(tookTooLong(job.session, timeoutMs))
    },
    Math.min(timeoutMs, MAX_TIMER_MS),
  )
  job.waiters.add(waiter)
  return promise.finally(() => clearTimeout(timer))
}

export function resolveWaiters(job: Job, verdict: Verdict): void {
  for (const waiter of job.waiters) waiter.resolve(verdict)
  job.waiters.clear()
}

export function rejectWaiters(job: Job, error: Error): void {
  for (const waiter of job.waiters) waiter.reject(error)
  job.waiters.clear()
}

function tookTooLong(session: SessionRef, timeoutMs: number): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `The check of session ${session.sessionId} was not done after ${timeoutMs / 1000} seconds. It continues.`,
    hint: `Check it alone: ${paste('rethread check', session.sessionId)}`,
    path: session.filePath,
  })
}

export function wasStopped(session: SessionRef): RethreadError {
  return new RethreadError({
    code: 'stopped',
    text: `rethread is stopping: session ${session.sessionId} was not checked.`,
    hint: `Check it again later: ${paste('rethread check', session.sessionId)}`,
    path: session.filePath,
  })
}
