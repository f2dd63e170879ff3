// A thread that checks sessions and plans repairs: with a large session that takes seconds.
import { workerData } from 'node:worker_threads'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import { serveCalls } from '../../threads/serve.ts'
import { checkSession } from '../check/check.ts'
import type { CheckedSession } from '../check/check-for-cache.ts'
import { checkForCache } from '../check/check-for-cache.ts'
import { contextOf, type ThreadData } from './thread-data.ts'

const context = contextOf(workerData as ThreadData)

const calls = {
  check: (order: { session: SessionRef; force?: boolean }): Promise<CheckedSession> =>
    checkForCache(context, order.session, { force: order.force === true }),
  /** One after the other. A failure of one fails all: the caller then calls for each. */
  checkAll: async (order: { sessions: SessionRef[]; force?: boolean }): Promise<CheckedSession[]> => {
    const checked: CheckedSession[] = []
    const marks = new Map<string, string>()
    for (const session of order.sessions)
      checked.push(await checkForCache(context, session, { force: order.force === true, marks }))
    return checked
  },
  plan: async (order: { session: SessionRef }): Promise<{ verdict: Verdict; changes: Change[] }> => {
    const { verdict, changes } = await checkSession(context, order.session)
    return { verdict, changes }
  },
}
export type CheckCalls = typeof calls

serveCalls(calls)
