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

export interface Work {
  readonly key: string
  session: SessionRef
  priority: Priority
  /** Somebody must have the truth, and not what was true when the session was found. */
  isAwaited: boolean
  readonly waiters: Set<Waiter>
  /** Taken when its turn came, before anything was read. */
  origin?: Origin
  /** Asked for while this one was being processed, and its session was no longer what it had been. */
  next?: Work
}

export function makeWork(session: SessionRef, priority: Priority): Work {
  return { key: sessionKey(session), session, priority, isAwaited: false, waiters: new Set() }
}

/** The newest reference knows most. */
export function renew(work: Work, session: SessionRef): void {
  if (session.updatedAt >= work.session.updatedAt) work.session = session
}

/** Returns whether it became more urgent; it never becomes less so. */
export function raise(work: Work, priority: Priority): boolean {
  if (RANK[priority] <= RANK[work.priority]) return false
  work.priority = priority
  return true
}

/** A promise for the verdict on `work`. When the time is over it is rejected, and the work goes on. */
export function awaitVerdict(work: Work, timeoutMs: number): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
  const waiter: Waiter = { resolve, reject }
  const timer = setTimeout(
    () => {
      work.waiters.delete(waiter)
      reject(tookTooLong(work.session, timeoutMs))
    },
    Math.min(timeoutMs, MAX_TIMER_MS),
  )
  work.waiters.add(waiter)
  return promise.finally(() => clearTimeout(timer))
}

export function resolveWaiters(work: Work, verdict: Verdict): void {
  for (const waiter of work.waiters) waiter.resolve(verdict)
  work.waiters.clear()
}

export function rejectWaiters(work: Work, error: Error): void {
  for (const waiter of work.waiters) waiter.reject(error)
  work.waiters.clear()
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
