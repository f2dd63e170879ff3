// The shortest way to a verdict: logs in which nothing is unusual, from their lines alone. It loads no class of damage
// and makes no index. Every other log goes a longer way.
import type { Agent } from '../../agents/agent.ts'
import { findProjectInHead } from '../../agents/project-in-head.ts'
import type { LogRepair, PlainCounts } from '../../agents/repair.ts'
import { isIdSuspect } from '../../agents/session-ids.ts'
import type { Store } from '../../agents/store.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { LogAhead } from '../scan/scan-ahead.ts'
import { type Marks, type Origin, originOf } from '../verdicts/origin.ts'
import type { CheckContext, CheckedSession } from './check.ts'

export interface LogTarget {
  agent: Agent
  store: Store
  repair: LogRepair
}

/** Undefined where the log is not plain, or could not be read. Does not close its file. */
export function checkPlain(
  { environment }: CheckContext,
  { agent, store, repair }: LogTarget,
  session: SessionRef,
  log: LogAhead,
  marks: Marks,
): CheckedSession | undefined {
  const { plain } = repair
  if (plain === undefined || isIdSuspect(agent, session)) return undefined
  try {
    const { identity } = log.file
    const origin = originOfLog(session, repair, environment, log, marks)
    plain.begin(repair.installedVersion?.(environment))
    if (!log.visitLines((facts, slots, slot) => plain.add(facts, slots, slot))) return undefined
    const counts = plain.end(session)
    if (counts === undefined) return undefined
    const { messages, sent, depth } = counts
    const verdict = healthyVerdict(session, identity.size, { messages, sent, depth, orphans: 0 })
    return { verdict, identity: identity.key, origin, project: findProjectInHead(store, session, log.head) }
  } catch (error) {
    // A whole check finds it as well, and reports it.
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

/** Before anything is read. The log itself was opened, and perhaps read, just now. */
export function originOfLog(
  session: SessionRef,
  repair: LogRepair,
  environment: CheckContext['environment'],
  { file }: LogAhead,
  marks: Marks,
): Origin {
  const companions = repair.companions?.(session, environment) ?? []
  const files = companions.length === 0 ? undefined : [session.filePath, ...companions]
  return originOf(session, files, marks, file.identity)
}

/** The fields are in the order of the output. */
export function healthyVerdict(
  { agent, sessionId, filePath }: SessionRef,
  fileSize: number,
  { messages, sent, depth, orphans }: PlainCounts & { orphans: number },
): Verdict {
  const known = {
    agent,
    sessionId,
    filePath,
    status: 'healthy' as const,
    chainDepth: depth,
    orphanCount: orphans,
    messageCount: messages,
    fileSize,
    loads: { now: messages, afterRepair: messages },
  }
  const rest = { findings: [], moreFindings: 0, refusals: [] }
  return sent === messages ? { ...known, ...rest } : { ...known, sent: { now: sent, afterRepair: sent }, ...rest }
}
