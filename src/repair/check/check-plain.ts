// The shortest way to a verdict: logs in which nothing is unusual, from their lines alone. It loads no class of damage
// and makes no index. Every other log goes a longer way.
import type { Agent } from '../../agents/agent.ts'
import { findProjectInHead, readProjectInHead } from '../../agents/project-in-head.ts'
import type { LogRepair, PlainCounts, PlainLog } from '../../agents/repair.ts'
import { isIdSuspect } from '../../agents/session-ids.ts'
import type { Store } from '../../agents/store.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import { chooseScanner } from '../scan/choose-scanner.ts'
import { CACHED_FROM_BYTES, hasCachedIndex } from '../scan/index-cache.ts'
import type { VisitLine } from '../scan/record-scanner.ts'
import type { LogAhead } from '../scan/scan-ahead.ts'
import { visitFile, visitInThreads } from '../scan/scan-in-threads.ts'
import { type Marks, type Origin, originOf } from '../verdicts/origin.ts'
import type { CheckContext } from './check.ts'
import type { CheckedSession } from './check-for-cache.ts'

export interface LogTarget {
  agent: Agent
  store: Store
  repair: LogRepair
}

/** Undefined where the log is not plain, or could not be read. Does not close its file. */
export function checkPlain(
  { environment }: CheckContext,
  { agent, store, repair }: LogTarget,
  plain: PlainLog,
  session: SessionRef,
  log: LogAhead,
  marks: Marks,
): CheckedSession | undefined {
  if (isIdSuspect(agent, session)) return undefined
  try {
    const { identity } = log.file
    const origin = originOfLog(session, repair, environment, log, marks)
    plain.begin(repair.installedVersion?.(environment))
    if (!log.visitLines((facts, slots, slot) => plain.add(facts, slots, slot))) return undefined
    const counts = plain.end(session)
    if (counts === undefined) return undefined
    const verdict = healthyVerdict(session, identity.size, { ...counts, orphans: 0 })
    return { verdict, identity: identity.key, origin, project: findProjectInHead(store, session, log.head, log.file) }
  } catch (error) {
    // A whole check finds it as well, and reports it.
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

/**
 * The same of an open file of any size. A log with a cached index was not plain before, and most of it is not read
 * again.
 */
export async function checkPlainFile(
  { environment, state }: CheckContext,
  { agent, store, repair }: LogTarget,
  session: SessionRef,
  file: OpenFile,
): Promise<Omit<CheckedSession, 'origin'> | undefined> {
  const plain = repair.makePlain?.()
  const { identity } = file
  const hasIndex = identity.size >= CACHED_FROM_BYTES && hasCachedIndex(state, session)
  if (plain === undefined || hasIndex || isIdSuspect(agent, session)) return undefined
  plain.begin(repair.installedVersion?.(environment))
  const add: VisitLine = (facts, slots, slot) => plain.add(facts, slots, slot)
  try {
    const visited = await visitInThreads(file, session.storeRoot, repair, add, chooseScanner())
    const counts = (visited ?? visitFile(file, repair, add)) ? plain.end(session) : undefined
    if (counts === undefined) return undefined
    const verdict = healthyVerdict(session, identity.size, { ...counts, orphans: 0 })
    return { verdict, identity: identity.key, project: readProjectInHead(store, session, file) }
  } catch (error) {
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
