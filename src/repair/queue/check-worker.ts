// A thread that checks sessions and plans repairs: with a large session that takes seconds.
import { workerData } from 'node:worker_threads'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import { serveCalls } from '../../threads/serve.ts'
import { checkSession } from '../check/check.ts'
import { contextOf, type ThreadData } from './thread-data.ts'

const context = contextOf(workerData as ThreadData)

const calls = {
  /** `identity` is that of the file before it was read. */
  check: async (order: { session: SessionRef; force?: boolean }): Promise<{ verdict: Verdict; identity: string }> => {
    const { verdict, identity } = await checkSession(context, order.session, { force: order.force === true })
    return { verdict, identity }
  },
  plan: async (order: { session: SessionRef }): Promise<{ verdict: Verdict; changes: Change[] }> => {
    const { verdict, changes } = await checkSession(context, order.session)
    return { verdict, changes }
  },
}
export type CheckCalls = typeof calls

serveCalls(calls)
