// Repairs several sessions one after the other, because sessions can share a file.
import type { SessionRef } from '../model/session.ts'
import type { Verdict } from '../model/verdict.ts'
import { isExamined } from '../model/verdict.ts'
import type { CheckContext } from './check/check.ts'
import type { Repaired, SessionRepairOptions } from './repair.ts'
import { repairSession, withoutRepair } from './repair.ts'
import { sessionKey } from './verdicts/origin.ts'
import type { Countdown } from './when-quiet.ts'
import { whenQuiet } from './when-quiet.ts'

export interface RepairOfSession extends Repaired {
  session: SessionRef
}

export interface RepairSelection {
  sessions: SessionRef[]
  /** Sessions that could not be examined, so they are not known to be healthy. */
  unexamined: { session: SessionRef; verdict: Verdict }[]
}

export interface RepairManyOptions extends SessionRepairOptions {
  /** Called after each session. */
  onRepaired?(session: SessionRef): void
  /**
   * How long to wait for the next session that changed a moment ago. Without it, such a session is left
   * alone.
   */
  maxWaitMs?(): number
  /** Called once a second during the wait for a session. */
  onWait?(session: SessionRef, countdown: Countdown): void
  onWaited?(session: SessionRef): void
}

/** Selects the sessions with damage, and those that could not be examined. */
export function pickDamaged(sessions: readonly SessionRef[], verdicts: readonly Verdict[]): RepairSelection {
  const known = new Map(verdicts.map(verdict => [sessionKey(verdict), verdict]))
  const judged = sessions.flatMap(session => {
    const verdict = known.get(sessionKey(session))
    return verdict === undefined ? [] : [{ session, verdict }]
  })
  return {
    sessions: judged.flatMap(({ session, verdict }) => (verdict.status === 'corrupted' ? [session] : [])),
    unexamined: judged.filter(({ verdict }) => !isExamined(verdict)),
  }
}

/**
 * Returns results in the order of the sessions, followed by those that were not examined. The report of a
 * session holds its failure.
 */
export async function repairMany(
  context: CheckContext,
  { sessions, unexamined }: RepairSelection,
  options: RepairManyOptions = {},
): Promise<RepairOfSession[]> {
  const repair: Repair = async session => ({ session, ...(await repairSession(context, session, options)) })
  const done: RepairOfSession[] = []
  for (const session of sessions) {
    done.push(await repair(session))
    options.onRepaired?.(session)
  }
  // A session that could not be examined because of another one in the same file may be repairable now.
  const repaired = new Set(done.filter(isRepaired).map(({ session }) => session.filePath))
  for (const { session, verdict } of unexamined) {
    const isWorthTrying = repaired.has(session.filePath)
    done.push(isWorthTrying ? await repair(session) : { session, ...withoutRepair(verdict) })
  }
  return await repairRecent(done, repair, options)
}

export function isRepaired({ report }: Repaired): boolean {
  return report.status === 'repaired'
}

type Repair = (session: SessionRef) => Promise<RepairOfSession>

/**
 * Repairs sessions that changed a moment ago last. Most are finished by then; rethread waits for the others.
 */
async function repairRecent(
  done: readonly RepairOfSession[],
  repair: Repair,
  { maxWaitMs, onWait, onWaited }: RepairManyOptions,
): Promise<RepairOfSession[]> {
  if (maxWaitMs === undefined) return [...done]
  const all: RepairOfSession[] = []
  for (const one of done) {
    const { session, verdict } = one
    if (verdict.status !== 'busy' || verdict.reason?.retryAfterMs === undefined) {
      all.push(one)
      continue
    }
    try {
      const waiting = { onWait: (countdown: Countdown) => onWait?.(session, countdown), onlyRecent: true }
      all.push(await whenQuiet(() => repair(session), { ...waiting, maxMs: maxWaitMs() }))
    } finally {
      onWaited?.(session)
    }
  }
  return all
}
