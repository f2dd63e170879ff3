// Verdicts, repairs and undo behind one queue. Everything heavy happens in threads; nothing is ever repaired because somebody looked at it.

import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import type { CheckContext } from '../../repair/check/check.ts'
import { busyVerdict } from '../../repair/check/check.ts'
import { originOfCheck } from '../../repair/check/companions.ts'
import type { Priority } from '../../repair/queue/job.ts'
import { SessionRepairQueue } from '../../repair/queue/queue.ts'
import type { RepairPolicy } from '../../repair/queue/queue-policy.ts'
import { openCheckThreads, openRepairThread, planIn } from '../../repair/queue/threads.ts'
import { openVerdicts } from '../../repair/verdicts/verdict-cache.ts'
import type { NamedSessions, Progress, SessionStatusMessage } from '../protocol.ts'
import type { ServedSession, Sessions } from '../sessions/index.ts'
import { keyOfSession, makeIsDecided } from '../sessions/index.ts'
import { Listeners } from './listeners.ts'
import { CheckProgress } from './progress.ts'
import type { RepairAllProgress } from './repairs.ts'
import { isStopping, Repairs } from './repairs.ts'
import { gone, missingVerdict, refusedReport, statusMessage } from './status.ts'
import { orAborted } from './wait.ts'

export interface Checks {
  /** Every session is queued at `disk`; called again after each refresh, for those that are new, have changed, or were in use. */
  start(): void
  /** What a client shows comes first. It is checked, and not repaired. */
  name(sessions: NamedSessions): void
  /** As the session is at this call or later. A session that is gone has the verdict `missing`. */
  verdict(key: string, options: { priority: Priority; signal?: AbortSignal }): Promise<Verdict>
  /** For a resume: checks, and repairs where that helps. A repair that has begun is not interrupted by the signal. */
  repairForResume(key: string, options: RepairOptions): Promise<{ verdict: Verdict; report?: RepairReport }>
  plan(key: string): Promise<{ verdict: Verdict; changes: Change[] }>
  repair(key: string, options: { force?: boolean }): Promise<{ verdict: Verdict; report: RepairReport }>
  /** For what is repaired by other means than a plan: no terminal starts while `step` runs, and the verdict is from after it. Throws `busy` where the session is in use. */
  alter<Result>(
    key: string,
    step: (session: SessionRef) => Promise<Result>,
  ): Promise<{ verdict: Verdict; result: Result }>
  /** The receipt, or the last repair of the session. */
  undo(key: string, receipt?: string): Promise<{ receipt: string; verdict: Verdict; notes: string[] }>
  /** One after the other. A second call joins the first. Returns how many there are to do. */
  repairAll(onProgress: (progress: RepairAllProgress) => void): number
  /** While held, no repair of this session begins: a terminal runs it. Returns the release. */
  hold(key: string): () => void
  isRepairing(key: string): boolean
  readonly progress: Progress
  on(event: 'status', listener: (message: SessionStatusMessage) => void): () => void
  on(event: 'progress', listener: (progress: Progress) => void): () => void
  /** A repair that is under way is waited for, in any case. */
  stop(options: { isUrgent: boolean }): Promise<void>
}

export interface RepairOptions {
  onPhase(phase: 'checking' | 'repairing'): void
  signal: AbortSignal
}

export interface ChecksOptions {
  context: CheckContext
  sessions: Sessions
  /** `on-resume` repairs when a terminal resumes; `all` also whatever the background check finds; `never` only what is asked for by name. */
  policy?: RepairPolicy
  concurrency?: number
}

/** Sessions that are queued without letting anybody else have a turn. */
const SLICE = 250
/** A wait that ends only with its answer: whoever waits has a signal to leave by. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

export function makeChecks({
  context,
  sessions,
  policy = 'on-resume',
  concurrency = availableParallelism(),
}: ChecksOptions): Checks {
  const verdicts = openVerdicts(context.state)
  const checkers = openCheckThreads(context, concurrency)
  const thread = openRepairThread(context)
  // Planning the repair of a huge session must not hold up the checks and repairs of others.
  const planner = openCheckThreads(context, 1)
  const listeners = new Listeners()
  const progress = new CheckProgress(current => listeners.publishProgress(current))
  const announce = (message: SessionStatusMessage): void => {
    const { key, status, loads, findings } = message
    sessions.setStatus(key, {
      status,
      ...(loads === undefined ? {} : { loads }),
      ...(findings === undefined ? {} : { findings }),
    })
    listeners.publishStatus(message)
  }
  const repairs: Repairs = new Repairs(thread, {
    announce,
    find: key => sessions.get(key),
    renew: key => sessions.renew(key),
    inTurn: (session, priority, step) => queue.repair(session, priority, step),
    isDecided: makeIsDecided(context.agents),
  })
  const queue: SessionRepairQueue = new SessionRepairQueue({
    concurrency,
    // There is one thread for them.
    repairsAtOnce: 1,
    // What a client merely shows is urgent and yet not repaired, so that the gate repairs by itself.
    policy: policy === 'all' ? 'all' : 'never',
    verdicts,
    origin: session => originOfCheck(context, session),
    check: async (session, signal) => (await checkers.call('check', { session }, { signal })).verdict,
    repair: async session => {
      const served = sessions.get(keyOfSession(session))
      if (served === undefined) throw gone(session.sessionId)
      return await repairs.repairInTurn(served)
    },
  })
  queue.on('scanned', verdict => {
    progress.add(verdict)
    const key = keyOfSession(verdict)
    if (!repairs.isRunning(key)) announce(statusMessage(key, verdict))
  })
  queue.on('error', session => progress.add(session))
  // Whoever asks for a session is not made to wait until all have been found.
  queue.start()
  let hasStarted = false
  let tidied: Promise<unknown> | undefined
  /** What a crash left half-way is finished before anything new is begun. That it cannot be is told by the repair itself. */
  const tidy = async (): Promise<void> => {
    tidied ??= thread.call('tidy', null).catch(() => undefined)
    await tidied
  }

  const freshVerdict = async (key: string, priority: Priority, signal?: AbortSignal): Promise<Verdict> => {
    const known = sessions.get(key)
    const served = await sessions.renew(key)
    if (served === undefined) {
      const verdict = missingVerdict(known?.session, key)
      announce(statusMessage(key, verdict))
      return verdict
    }
    const waited = queue.waitFor(served.session, { timeout: NO_TIMEOUT_MS, priority })
    return await orAborted(waited, signal)
  }
  return {
    get progress() {
      return progress.current
    },
    start() {
      const isDue = ({ row }: ServedSession) => !hasStarted || row.status === undefined || row.status === 'busy'
      const all = [...sessions.all()]
      const due = all.filter(isDue)
      hasStarted = true
      void tidy()
      progress.expect(
        due.map(({ session }) => session),
        all.map(({ session }) => session),
      )
      void inSlices(due, slice => queue.enqueue(slice.map(({ session }) => ({ session, priority: 'disk' as const }))))
    },
    name(named) {
      const items = [
        ...wanted(sessions, named.active === undefined ? [] : [named.active], 'active'),
        ...wanted(sessions, named.visible ?? [], 'visible'),
        ...wanted(sessions, named.background ?? [], 'background'),
      ]
      queue.enqueue(items)
    },
    verdict: (key, { priority, signal }) => freshVerdict(key, priority, signal),
    async repairForResume(key, { onPhase, signal }) {
      onPhase('checking')
      const verdict = await freshVerdict(key, 'active', signal)
      const served = sessions.get(key)
      if (served === undefined || verdict.status !== 'corrupted' || policy === 'never') return { verdict }
      signal.throwIfAborted()
      await tidy()
      // Another session in the same file runs in a terminal: no reason to keep a person from what is left of this one.
      const refused = repairs.refusal(served)
      if (refused !== undefined) return { verdict, report: refusedReport(verdict, refused) }
      // Before anybody is told of a repair that could not begin.
      const { sign } = await thread.call('activity', { session: served.session })
      if (sign !== undefined) return { verdict: busyVerdict(verdict, sign) }
      signal.throwIfAborted()
      onPhase('repairing')
      return await repairs.repair(served, { priority: 'active' })
    },
    async plan(key) {
      const served = await sessions.renew(key)
      if (served === undefined) throw gone(key)
      // A thread that is started now would be left over.
      if (repairs.isStopped) throw isStopping()
      return await planIn(planner, served.session)
    },
    async repair(key, options) {
      const served = await sessions.renew(key)
      if (served === undefined) throw gone(key)
      return await repairs.repair(served, { ...options, priority: 'visible' })
    },
    async alter(key, step) {
      const served = await sessions.renew(key)
      if (served === undefined) throw gone(key)
      const result = await repairs.alter(served, step)
      return { result, verdict: await freshVerdict(key, 'active') }
    },
    async undo(key, receipt) {
      const known = sessions.get(key)
      if (known === undefined) throw gone(key)
      const { receipt: id, left } = await repairs.undo(known, receipt ?? known.session.sessionId)
      const verdict = await freshVerdict(key, 'active')
      return { receipt: id, verdict, notes: left.map(file => `Recreated by the agent, not changed: ${file}`) }
    },
    repairAll: onProgress => repairs.all(sessions, onProgress),
    hold: key => repairs.hold(key),
    isRepairing: key => repairs.isRunning(key),
    on: listeners.on.bind(listeners),
    async stop({ isUrgent }) {
      repairs.stop()
      await queue.stop({ isUrgent })
      await Promise.all([repairs.altered(), thread.finish(), planner.close(), checkers.close()])
      verdicts.close()
      progress.stop()
    },
  }
}

/** Ten thousand at once would keep everybody waiting who asks meanwhile. */
async function inSlices<Item>(items: readonly Item[], take: (slice: Item[]) => void): Promise<void> {
  for (let from = 0; from < items.length; from += SLICE) {
    take(items.slice(from, from + SLICE))
    await nextTurn()
  }
}

function wanted(sessions: Sessions, names: readonly string[], priority: Priority) {
  return names.flatMap(name => {
    const served = sessions.find(name)
    return served === undefined ? [] : [{ session: served.session, priority }]
  })
}
