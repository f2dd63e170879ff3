// A thread that reads sessions for their summaries.
import { workerData } from 'node:worker_threads'
import type { Finding } from '../model/finding.ts'
import type { SessionRef } from '../model/session.ts'
import { serveCalls } from '../threads/serve.ts'
import type { ContextPlaces } from './context.ts'
import { contextFor } from './context.ts'
import type { Log } from './log.ts'
import type { Summary } from './summaries.ts'
import { summarizeEach } from './summaries.ts'

const places = workerData as ContextPlaces

export interface SummarizedSessions {
  /** In the order of the sessions. */
  summaries: Summary[]
  /** What goes to the log of the caller. */
  skipped: { agent: string; sessionId: string; finding: Finding }[]
}

const calls = {
  summarize: async (sessions: SessionRef[]): Promise<SummarizedSessions> => {
    const skipped: SummarizedSessions['skipped'] = []
    const log: Log = {
      skipped: 0,
      path: undefined,
      skip: (agent, sessionId, finding) => void skipped.push({ agent, sessionId, finding }),
      debug() {},
      async flush() {},
    }
    const context = contextFor(places, log)
    const summaries: Summary[] = []
    await summarizeEach(context, sessions, (_, summary) => void summaries.push(summary))
    return { summaries, skipped }
  },
}
export type SummaryCalls = typeof calls

serveCalls(calls)
