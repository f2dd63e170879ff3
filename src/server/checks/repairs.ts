// Runs repairs and undos when the queue gives them their turn. A session that runs in a terminal is not
// repaired, and no terminal starts during a repair.

import { hasErrorCode, RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import type { Priority } from '../../repair/queue/job.ts'
import type { Undone } from '../../repair/queue/repair-worker.ts'
import type { RepairThread } from '../../repair/queue/threads.ts'
import type { SessionStatusMessage } from '../protocol.ts'
import type { ServedSession, SessionCatalog } from '../sessions/index.ts'
import { statusMessage } from './status.ts'

export interface RepairAllProgress {
  done: number
  total: number
  repaired: number
  refused: number
  failed: number
}

interface Wiring {
  /** Notifies the clients that show the session, and updates the catalog. */
  announce(message: SessionStatusMessage): void
  find(key: string): ServedSession | undefined
  /** Updates the session in the list after a change. */
  renew(key: string): Promise<ServedSession | undefined>
  /** Runs the step when the queue gives the session its turn. */
  inTurn<Result>(session: SessionRef, priority: Priority, step: () => Promise<Result>): Promise<Result>
  /** Whether the repair needs a decision of the user. */
  needsDecision(session: SessionRef): boolean
}

export interface RepairOutcome {
  verdict: Verdict
  report: RepairReport
}

export class Repairs {
  readonly #thread: RepairThread
  readonly #wiring: Wiring
  /**
   * Counted by file, because several sessions can share one: terminals that run, and repairs that are not
   * finished.
   */
  readonly #holds = new Counters()
  readonly #running = new Counters()
  readonly #altering = new Set<Promise<unknown>>()
  #isStopped = false
  #all: { progress: RepairAllProgress; listeners: Set<(progress: RepairAllProgress) => void> } | undefined

  constructor(thread: RepairThread, wiring: Wiring) {
    this.#thread = thread
    this.#wiring = wiring
  }

  /** Returns the function that releases it. */
  hold(key: string): () => void {
    return this.#holds.add(this.#fileOf(key))
  }

  isRunning(key: string): boolean {
    return this.#running.has(this.#fileOf(key))
  }

  async repair(
    served: ServedSession,
    { force = false, priority }: { force?: boolean; priority: Priority },
  ): Promise<RepairOutcome> {
    const { session } = served
    return await this.#repair(served, () =>
      this.#wiring.inTurn(session, priority, () => this.#thread.call('repair', { session, force })),
    )
  }

  /** For the queue, when it is the turn of the session. */
  async repairInTurn(served: ServedSession): Promise<RepairOutcome> {
    return await this.#repair(served, () => this.#thread.call('repair', { session: served.session, force: false }))
  }

  async #repair(served: ServedSession, step: () => Promise<RepairOutcome>): Promise<RepairOutcome> {
    this.#refuse(served)
    const done = await this.#during(served, step)
    // Updates the list before the new status is announced.
    if (done.report.status === 'repaired') await this.#wiring.renew(served.key)
    const isRepaired = done.report.status === 'repaired'
    this.#wiring.announce({
      ...statusMessage(served.key, done.verdict),
      ...(isRepaired && done.verdict.status === 'healthy' ? { status: 'repaired' as const } : {}),
      ...(isRepaired ? { orphansFixed: done.report.orphansFixed } : {}),
      ...(done.report.error === undefined ? {} : { reason: done.report.error.text }),
    })
    return done
  }

  /** A repair without a plan. One runs at a time. */
  async alter<Result>(served: ServedSession, step: (session: SessionRef) => Promise<Result>): Promise<Result> {
    this.#refuse(served)
    if (this.#running.has(served.session.filePath)) throw isRepaired(served)
    const done = this.#during(served, () => step(served.session))
    this.#altering.add(done)
    try {
      return await done
    } finally {
      this.#altering.delete(done)
    }
  }

  /** Resolves when all of these have ended, with success or not. */
  async altered(): Promise<void> {
    await Promise.allSettled(this.#altering)
  }

  /** `which` is a receipt, or the id of the session. */
  async undo(served: ServedSession, which: string): Promise<Undone> {
    this.#refuse(served)
    const undo = (): Promise<Undone> => this.#thread.call('undo', { which, force: false })
    return await this.#during(served, () => this.#wiring.inTurn(served.session, 'visible', undo))
  }

  /** Returns the number of sessions to repair. A call during a run joins that run. */
  all(sessions: SessionCatalog, onProgress: (progress: RepairAllProgress) => void): number {
    if (this.#all !== undefined) {
      this.#all.listeners.add(onProgress)
      return this.#all.progress.total
    }
    const isDamaged = ({ row, session }: ServedSession): boolean =>
      row.status === 'corrupted' &&
      row.hidden !== true &&
      session.archived === undefined &&
      !this.#wiring.needsDecision(session)
    const damaged = [...sessions.all()].filter(isDamaged)
    const progress = { done: 0, total: damaged.length, repaired: 0, refused: 0, failed: 0 }
    const run = { progress, listeners: new Set([onProgress]) }
    this.#all = run
    void this.#repairAll(damaged, run.progress, () => {
      for (const listener of run.listeners) listener({ ...run.progress })
    }).finally(() => {
      this.#all = undefined
    })
    return progress.total
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Why the session must not be written now; undefined if it may be. */
  refusal(served: ServedSession): RethreadError | undefined {
    if (this.#isStopped) return isStopping()
    return this.#holds.has(served.session.filePath) ? runsInTerminal(served) : undefined
  }

  #refuse(served: ServedSession): void {
    const refusal = this.refusal(served)
    if (refusal !== undefined) throw refusal
  }

  #fileOf(key: string): string {
    return this.#wiring.find(key)?.session.filePath ?? key
  }

  async #repairAll(damaged: readonly ServedSession[], progress: RepairAllProgress, notify: () => void): Promise<void> {
    notify()
    for (const served of damaged) {
      if (this.#isStopped) return
      const outcome = await this.repair(this.#wiring.find(served.key) ?? served, { priority: 'background' }).then(
        ({ report }) => report.status,
        error => (hasErrorCode(error, 'busy') ? ('refused' as const) : ('failed' as const)),
      )
      if (outcome === 'refused') progress.refused++
      else if (outcome === 'failed') progress.failed++
      else progress.repaired++
      progress.done++
      notify()
    }
  }

  /**
   * Clients that show the session see that it is being repaired. If the step fails, they get the status from
   * before.
   */
  async #during<Result>(served: ServedSession, step: () => Promise<Result>): Promise<Result> {
    const { key, row } = served
    const before = { type: 'session.status' as const, key, sessionId: row.sessionId, agent: row.agent }
    const status = row.status
    const release = this.#running.add(served.session.filePath)
    this.#wiring.announce({ ...before, status: 'repairing' })
    try {
      return await step()
    } catch (error) {
      if (status !== undefined) this.#wiring.announce({ ...before, status, ...(row.loads ? { loads: row.loads } : {}) })
      throw error
    } finally {
      release()
    }
  }
}

class Counters {
  readonly #counts = new Map<string, number>()

  has(name: string): boolean {
    return this.#counts.has(name)
  }

  /** Returns a function that undoes it. A second call of that function has no effect. */
  add(name: string): () => void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    let isTakenBack = false
    return () => {
      if (isTakenBack) return
      isTakenBack = true
      const left = (this.#counts.get(name) ?? 1) - 1
      if (left === 0) this.#counts.delete(name)
      else this.#counts.set(name, left)
    }
  }
}

function runsInTerminal({ session }: ServedSession): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: 'This session runs in a terminal. Nothing is changed while its agent may write.',
    hint: 'End the agent in its terminal, then try again.',
    path: session.filePath,
  })
}

function isRepaired({ session }: ServedSession): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: 'This session is already being repaired.',
    hint: 'Wait until that is done, then check it again.',
    path: session.filePath,
  })
}

export function isStopping(): RethreadError {
  return new RethreadError({
    code: 'stopped',
    text: 'The server is stopping, so nothing is changed.',
    hint: 'Start it again: rethread serve',
  })
}
