// The short way to a verdict for logs that are healthy but not plain. Nothing in such a log is unfinished, so
// it does not matter whether somebody writes it. Every other session gets its verdict from a whole check.
import { findProjectInHead } from '../../agents/project-in-head.ts'
import type { Bytes } from '../../agents/repair.ts'
import { isIdSuspect } from '../../agents/session-ids.ts'
import type { OpenFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { LogSubject } from '../damage/damage.ts'
import { damagesOfLogs } from '../damage/index.ts'
import type { LogAhead } from '../scan/scan-ahead.ts'
import type { Marks } from '../verdicts/origin.ts'
import type { CheckContext } from './check.ts'
import type { CheckedSession } from './check-for-cache.ts'
import { healthyVerdict, type LogTarget, originOfLog } from './check-plain.ts'
import { applicableTo, concludeHealthy } from './examine-log.ts'
import { detectAll } from './rounds.ts'

/** Undefined where the session has to be checked. Closes the file of the log. */
export async function checkIfHealthy(
  context: CheckContext,
  target: LogTarget,
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
  { store, repair }: LogTarget,
  session: SessionRef,
  log: LogAhead,
  marks: Marks,
): Promise<CheckedSession | undefined> {
  const { file, head } = log
  const { identity } = file
  const origin = originOfLog(session, repair, environment, log, marks)
  const { index, junk, readUpTo } = log.index()
  const bytes = readAtOnce(file)
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
  const { chainDepth: depth, orphanCount: orphans, messageCount: messages, sent } = found
  const verdict = healthyVerdict(session, identity.size, { messages, sent: sent?.now ?? messages, depth, orphans })
  return { verdict, identity: identity.key, origin, project: findProjectInHead(store, session, head, file) }
}

/** Of a short log: some stores ask for most of its records, one by one. Nothing is read before the first of them. */
function readAtOnce({ identity: { size }, range }: OpenFile): Bytes {
  let whole: Buffer | undefined
  return {
    size,
    range(start, end) {
      whole ??= range(0, size)
      return whole.subarray(start, end)
    },
  }
}
