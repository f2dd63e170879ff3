// The short way to a verdict for what most sessions are: logs that are healthy. Nothing in such a log is unfinished, so
// it does not matter whether somebody writes it. Every other session gets its verdict from a whole check.
import type { Agent } from '../../agents/agent.ts'
import { findProjectInHead } from '../../agents/project-in-head.ts'
import type { LogRepair } from '../../agents/repair.ts'
import { isIdSuspect } from '../../agents/session-ids.ts'
import type { Store } from '../../agents/store.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { LogSubject } from '../damage/damage.ts'
import { damagesOfLogs } from '../damage/index.ts'
import type { LogAhead } from '../scan/scan-ahead.ts'
import { type Marks, originOf } from '../verdicts/origin.ts'
import type { CheckContext, CheckedSession } from './check.ts'
import { applicableTo, concludeHealthy } from './examine-log.ts'
import { detectAll } from './rounds.ts'

export interface HealthyTarget {
  agent: Agent
  store: Store
  repair: LogRepair
}

/** Undefined where the session has to be checked. Closes the file of the log. */
export async function checkIfHealthy(
  context: CheckContext,
  target: HealthyTarget,
  session: SessionRef,
  log: LogAhead,
  marks: Marks,
): Promise<CheckedSession | undefined> {
  try {
    if (isIdSuspect(target.agent, session)) return undefined
    return await examine(context, target, session, log, marks)
  } catch (error) {
    // A whole check finds it as well, and reports it.
    if (error instanceof RethreadError) return undefined
    throw error
  } finally {
    log.file.close()
  }
}

async function examine(
  { environment }: CheckContext,
  { store, repair }: HealthyTarget,
  session: SessionRef,
  { file, head, index: scan }: LogAhead,
  marks: Marks,
): Promise<CheckedSession | undefined> {
  const { identity } = file
  const companions = repair.companions?.(session, environment) ?? []
  const files = companions.length === 0 ? undefined : [session.filePath, ...companions]
  const origin = originOf(session, files, marks, identity)
  const { index, junk, readUpTo } = scan()
  const bytes = { size: identity.size, range: file.range }
  const { traits } = store
  const subject: LogSubject = { session, traits, repair, index, visible: index, junk, bytes, isLive: false }
  const installedVersion = repair.installedVersion?.(environment)
  if (installedVersion !== undefined) subject.installedVersion = installedVersion
  const isWhole = index.length > 0 && junk.length === 0 && readUpTo === identity.size
  const applicable = applicableTo(damagesOfLogs, traits, repair)
  const isClean = isWhole && (await detectAll(subject, applicable)).length === 0
  const found = isClean ? concludeHealthy(subject) : undefined
  index.rows.recycle()
  if (found === undefined) return undefined
  const { chainDepth, orphanCount, messageCount, loads, sent } = found
  const { agent, sessionId, filePath } = session
  const known = { agent, sessionId, filePath, status: 'healthy' as const, chainDepth, orphanCount, messageCount }
  const rest = { findings: [], moreFindings: 0, refusals: [] }
  const verdict =
    sent === undefined
      ? { ...known, fileSize: identity.size, loads, ...rest }
      : { ...known, fileSize: identity.size, loads, sent, ...rest }
  return { verdict, identity: identity.key, origin, project: findProjectInHead(store, session, head) }
}
