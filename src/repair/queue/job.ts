// One session in the queue: its priority, its waiting callers, and its state when its turn came.

import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Origin } from '../verdicts/origin.ts'
import { sessionKey } from '../verdicts/origin.ts'

/**
 * `active`: a person resumes it. `visible`: on the screen.
 * `background`: open in another pane. `disk`: all others.
 */
export type Priority = 'active' | 'visible' | 'background' | 'disk'

export const RANK: Record<Priority, number> = { active: 3, visible: 2, background: 1, disk: 0 }

/** The longest timer of Node. A longer one fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Waiter {
  resolve(verdict: Verdict): void
  reject(error: Error): void
}

export interface Job {
  readonly key: string
  session: SessionRef
  priority: Priority
  /** A caller waits for this verdict, so the state from the last scan is not enough. */
  isAwaited: boolean
  readonly waiters: Set<Waiter>
  /** Taken when its turn came, before anything was read. */
  origin?: Origin
  /** The next job for the session: requested during this one, after the session had changed. */
  next?: Job
}

export function makeJob(session: SessionRef, priority: Priority): Job {
  return { key: sessionKey(session), session, priority, isAwaited: false, waiters: new Set() }
}

/** The newest reference has the latest facts. */
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
