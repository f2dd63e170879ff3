// Repairs of several sessions, one after the other, because several sessions can share a file.
import type { SessionRef } from '../model/session.ts'
import type { Verdict } from '../model/verdict.ts'
import { isExamined } from '../model/verdict.ts'
import type { CheckContext } from './check/check.ts'
import type { Repaired, RepairOptions } from './repair.ts'
import { leaveAlone, repairSession } from './repair.ts'
import { keyOf } from './verdicts/origin.ts'
import type { Countdown } from './when-quiet.ts'
import { whenQuiet } from './when-quiet.ts'

export interface RepairedSession extends Repaired {
  session: SessionRef
}

export interface ToRepair {
  sessions: SessionRef[]
  /** Those that could not be examined: nobody can say that they are healthy. */
  unexamined: { session: SessionRef; verdict: Verdict }[]
}

export interface RepairManyOptions extends RepairOptions {
  /** Called as the sessions are done. */
  onRepaired?(session: SessionRef): void
  /** How long the next session that changed a moment ago may be waited for. Without it, such a session is left alone. */
  maxWaitMs?(): number
  /** Called once a second while a session is waited for. */
  onWait?(session: SessionRef, countdown: Countdown): void
  onWaited?(session: SessionRef): void
}

/** Of all sessions, those with damage, and those of which nothing is known. */
export function pickDamaged(sessions: readonly SessionRef[], verdicts: readonly Verdict[]): ToRepair {
  const known = new Map(verdicts.map(verdict => [keyOf(verdict), verdict]))
  const judged = sessions.flatMap(session => {
    const verdict = known.get(keyOf(session))
    return verdict === undefined ? [] : [{ session, verdict }]
  })
  return {
    sessions: judged.flatMap(({ session, verdict }) => (verdict.status === 'corrupted' ? [session] : [])),
    unexamined: judged.filter(({ verdict }) => !isExamined(verdict)),
  }
}

/** In the order of the sessions, then those that were not examined. A repair that fails is in the report of its session. */
export async function repairMany(
  context: CheckContext,
  { sessions, unexamined }: ToRepair,
  options: RepairManyOptions = {},
): Promise<RepairedSession[]> {
  const repair: Repair = async session => ({ session, ...(await repairSession(context, session, options)) })
  const done: RepairedSession[] = []
  for (const session of sessions) {
    done.push(await repair(session))
    options.onRepaired?.(session)
  }
  // What another session in the same file kept from being examined may be repaired by now.
  const repaired = new Set(done.filter(isRepaired).map(({ session }) => session.filePath))
  for (const { session, verdict } of unexamined) {
    const isWorthTrying = repaired.has(session.filePath)
    done.push(isWorthTrying ? await repair(session) : { session, ...leaveAlone(verdict) })
  }
  return await repairRecent(done, repair, options)
}

export function isRepaired({ report }: Repaired): boolean {
  return report.status === 'repaired'
}

type Repair = (session: SessionRef) => Promise<RepairedSession>

/** Sessions that changed a moment ago come last: most have been finished by then, and the others are waited for. */
async function repairRecent(
  done: readonly RepairedSession[],
  repair: Repair,
  { maxWaitMs, onWait, onWaited }: RepairManyOptions,
): Promise<RepairedSession[]> {
  if (maxWaitMs === undefined) return [...done]
  const all: RepairedSession[] = []
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
