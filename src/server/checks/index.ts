// Checks, repairs and undo behind one queue. Heavy work runs in threads. Displaying a session never repairs
// it.
import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Change } from '../../model/plan.ts'
import type { SessionRef } from '../../model/session.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import type { CheckContext } from '../../repair/check/check.ts'
import { busyVerdict } from '../../repair/check/check.ts'
import type { Priority } from '../../repair/queue/job.ts'
import { SessionRepairQueue } from '../../repair/queue/queue.ts'
import type { RepairPolicy } from '../../repair/queue/queue-policy.ts'
import { openCheckThreads, openRepairThread, planIn } from '../../repair/queue/threads.ts'
import { originOfCheck } from '../../repair/verdicts/origin.ts'
import { openVerdicts } from '../../repair/verdicts/verdict-cache.ts'
import type { NamedSessions, Progress, SessionStatusMessage } from '../protocol.ts'
import type { ServedSession, SessionCatalog } from '../sessions/index.ts'
import { keyOfSession, makeNeedsDecision } from '../sessions/index.ts'
import { CheckProgress } from './progress.ts'
import type { RepairAllProgress } from './repairs.ts'
import { isStopping, Repairs } from './repairs.ts'
import { missingVerdict, refusedReport, statusMessage, unknownSession } from './status.ts'
import { orAborted } from './wait.ts'

export interface Checks {
  /**
   * Queues every session at priority `disk`. Called after each refresh for sessions that are new, changed or
   * were in use.
   */
  start(): void
  /** Sessions that a client shows are checked first. They are not repaired. */
  name(sessions: NamedSessions): void
  /** The verdict on the session as of this call or later. A session that is gone gets `missing`. */
  verdict(key: string, options: { priority: Priority; signal?: AbortSignal }): Promise<Verdict>
  /**
   * For a resume: checks the session and repairs it if that helps. The signal does not interrupt a running
   * repair.
   */
  repairForResume(key: string, options: ResumeRepairOptions): Promise<{ verdict: Verdict; report?: RepairReport }>
  plan(key: string): Promise<{ verdict: Verdict; changes: Change[] }>
  repair(key: string, options: { force?: boolean }): Promise<{ verdict: Verdict; report: RepairReport }>
  /**
   * For repairs without a plan. No terminal starts while `step` runs, and the verdict is from after it.
   * Throws `busy` if the session is in use.
   */
  alter<Result>(
    key: string,
    step: (session: SessionRef) => Promise<Result>,
  ): Promise<{ verdict: Verdict; result: Result }>
  /** Without a receipt, undoes the last repair of the session. */
  undo(key: string, receipt?: string): Promise<{ receipt: string; verdict: Verdict; notes: string[] }>
  /**
   * Repairs one session after the other. A second call joins the first. Returns the number of sessions to
   * repair.
   */
  repairAll(onProgress: (progress: RepairAllProgress) => void): number
  /** While a terminal runs the session, no repair of it starts. Returns the function that releases it. */
  hold(key: string): () => void
  isRepairing(key: string): boolean
  /** Throws `busy` while a terminal runs the session. */
  assertFree(key: string): void
  readonly progress: Progress
  on(event: 'status', listener: (message: SessionStatusMessage) => void): () => void
  on(event: 'progress', listener: (progress: Progress) => void): () => void
  /** Always waits for a running repair. */
  stop(options: { isUrgent: boolean }): Promise<void>
}

export interface ResumeRepairOptions {
  onPhase(phase: 'checking' | 'repairing'): void
  signal: AbortSignal
}

export interface ChecksOptions {
  context: CheckContext
  sessions: SessionCatalog
  /**
   * `on-resume` repairs when a terminal resumes; `all` also repairs what the background check finds; `never`
   * repairs only on request.
   */
  policy?: RepairPolicy
  concurrency?: number
}

/** How many sessions are queued before other requests get a turn. */
const SLICE = 250
/** No timeout: a caller that stops waiting uses its signal. */
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
    needsDecision: makeNeedsDecision(context.agents),
  })
  const queue: SessionRepairQueue = new SessionRepairQueue({
    concurrency,
    // One thread repairs.
    repairsAtOnce: 1,
    // Sessions that clients show are urgent but must not be repaired. The gate repairs them explicitly.
    policy: policy === 'all' ? 'all' : 'never',
    verdicts,
    origin: session => originOfCheck(context, session),
    check: async (session, signal) => (await checkers.call('check', { session }, { signal })).verdict,
    repair: async session => {
      const served = sessions.get(keyOfSession(session))
      if (served === undefined) throw unknownSession(session.sessionId)
      return await repairs.repairInTurn(served)
    },
  })
  queue.on('scanned', verdict => {
    progress.add(verdict)
    const key = keyOfSession(verdict)
    if (!repairs.isRunning(key)) announce(statusMessage(key, verdict))
  })
  queue.on('error', session => progress.add(session))
  // Requests for one session do not wait until all sessions have been found.
  queue.start()
  let hasStarted = false
  let finished: Promise<unknown> | undefined
  /** Finishes or rolls back interrupted repairs first. If that fails, the next repair reports it. */
  const finishLeftovers = async (): Promise<void> => {
    finished ??= thread.call('tidy', null).catch(() => undefined)
    await finished
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
      void finishLeftovers()
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
      await finishLeftovers()
      // Another session in the same file runs in a terminal. This one can still be resumed without a repair.
      const refused = repairs.refusal(served)
      if (refused !== undefined) return { verdict, report: refusedReport(verdict, refused) }
      // Before clients are notified of a repair that cannot start.
      const { sign } = await thread.call('activity', { session: served.session })
      if (sign !== undefined) return { verdict: busyVerdict(verdict, sign) }
      signal.throwIfAborted()
      onPhase('repairing')
      return await repairs.repair(served, { priority: 'active' })
    },
    async plan(key) {
      const served = await sessions.renew(key)
      if (served === undefined) throw unknownSession(key)
      // A thread started now would never be stopped.
      if (repairs.isStopped) throw isStopping()
      return await planIn(planner, served.session)
    },
    async repair(key, options) {
      const served = await sessions.renew(key)
      if (served === undefined) throw unknownSession(key)
      return await repairs.repair(served, { ...options, priority: 'visible' })
    },
    async alter(key, step) {
      const served = await sessions.renew(key)
      if (served === undefined) throw unknownSession(key)
      const result = await repairs.alter(served, step)
      return { result, verdict: await freshVerdict(key, 'active') }
    },
    async undo(key, receipt) {
      const known = sessions.get(key)
      if (known === undefined) throw unknownSession(key)
      const { receipt: id, left } = await repairs.undo(known, receipt ?? known.session.sessionId)
      const verdict = await freshVerdict(key, 'active')
      return { receipt: id, verdict, notes: left.map(file => `Recreated by the agent, not changed: ${file}`) }
    },
    repairAll: onProgress => repairs.all(sessions, onProgress),
    hold: key => repairs.hold(key),
    isRepairing: key => repairs.isRunning(key),
    assertFree(key) {
      const served = sessions.get(key)
      const refusal = served === undefined ? undefined : repairs.refusal(served)
      if (refusal !== undefined) throw refusal
    },
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

/** Ten thousand sessions at once would block all other requests. */
async function inSlices<Item>(items: readonly Item[], take: (slice: Item[]) => void): Promise<void> {
  for (let from = 0; from < items.length; from += SLICE) {
    take(items.slice(from, from + SLICE))
    await nextTurn()
  }
}

function wanted(sessions: SessionCatalog, names: readonly string[], priority: Priority) {
  return names.flatMap(name => {
    const served = sessions.find(name)
    return served === undefined ? [] : [{ session: served.session, priority }]
  })
}

interface Events {
  status: SessionStatusMessage
  progress: Progress
}

export class Listeners {
  readonly #status = new Set<(message: SessionStatusMessage) => void>()
  readonly #progress = new Set<(progress: Progress) => void>()

  /** Returns a function that removes the listener. */
  on(event: 'status', listener: (message: SessionStatusMessage) => void): () => void
  on(event: 'progress', listener: (progress: Progress) => void): () => void
  on<Name extends keyof Events>(event: Name, listener: (value: Events[Name]) => void): () => void {
    const listeners = (event === 'status' ? this.#status : this.#progress) as Set<(value: Events[Name]) => void>
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  publishStatus(message: SessionStatusMessage): void {
    for (const listener of [...this.#status]) listener(message)
  }

  publishProgress(progress: Progress): void {
    for (const listener of [...this.#progress]) listener(progress)
  }
}
