// One attempt to resume a session in a terminal. It succeeds when no program writes the session and it is
// held, and ends early when no client waits any more.
import { setTimeout as sleep } from 'node:timers/promises'
import { RethreadError } from '../../model/errors.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import type { Countdown } from '../../repair/when-quiet.ts'
import { MAX_QUIET_WAIT_MS, whenQuiet } from '../../repair/when-quiet.ts'
import { orAborted } from '../checks/wait.ts'
import { REPAIR_POLL_MS } from '../limits.ts'
import type { ServedSession } from '../sessions/index.ts'
import type { GateOptions } from './index.ts'
import { alreadyRepairing, busy, checking, repairing, slowCheck, stillChecking } from './texts.ts'
import { Waiters } from './waiters.ts'

/** The result of the check and repair. There is no verdict if the user did not wait for it. */
interface CheckResult {
  verdict?: Verdict
  report?: RepairReport
  release?(): void
}

export interface Ready extends CheckResult {
  /** No repair of the session starts before this is called. */
  release(): void
}

export interface AttemptOptions extends Pick<GateOptions, 'sessions' | 'checks'> {
  served: ServedSession
  /** The title of the agent. */
  title: string
  slowCheckMs: number
  /** For tests; two minutes otherwise. */
  maxQuietWaitMs?: number
}

export type Decision = 'wait' | 'without-repair'

export class Attempt {
  readonly waiters = new Waiters()
  readonly #options: AttemptOptions
  readonly #begun = performance.now()
  /** Handles a decision; undefined while none is requested. */
  #decide: ((decision: Decision) => void) | undefined
  #isRepairing = false
  /** The session is being written, and the clients see a countdown. */
  #isWaiting = false
  /** The user chose to start without a repair and is not asked again. */
  #isWithoutRepair = false

  constructor(options: AttemptOptions) {
    this.#options = options
  }

  /** Returns false if no decision is requested. */
  decide(decision: Decision): boolean {
    this.#decide?.(decision)
    return this.#decide !== undefined
  }

  /** Rejects when no client waits any more or the session is written for too long. Nothing is held then. */
  async makeReady(): Promise<Ready> {
    for (;;) {
      const found: CheckResult = this.#isWithoutRepair ? {} : await this.#repairWhenQuiet()
      if (found.release !== undefined) return { ...found, release: found.release }
      if (found.verdict?.status === 'busy' && !this.#isWithoutRepair) throw stillBusy(found.verdict)
      const release = this.#hold()
      if (release !== undefined) return { ...found, release }
      await this.#repairEnds()
    }
  }

  /**
   * Repeats the check while the session is being written. Meanwhile clients may start the agent without a
   * repair.
   */
  async #repairWhenQuiet(): Promise<CheckResult> {
    const { maxQuietWaitMs = MAX_QUIET_WAIT_MS } = this.#options
    const skipped = new AbortController()
    let last: CheckResult = {}
    const attempt = async (): Promise<CheckResult> => {
      last = await this.#repair()
      // The user has decided not to wait and is not asked again.
      return this.#isWithoutRepair ? {} : last
    }
    try {
      const found = await whenQuiet(attempt, {
        onWait: countdown => this.#countDown(countdown, skipped),
        signal: AbortSignal.any([this.waiters.signal, skipped.signal]),
        maxMs: maxQuietWaitMs,
      })
      return this.#isWithoutRepair ? last : found
    } catch (error) {
      if (!skipped.signal.aborted || this.waiters.signal.aborted) throw error
      return last
    } finally {
      this.#isWaiting = false
      this.#decide = undefined
    }
  }

  #countDown(countdown: Countdown, skipped: AbortController): void {
    this.#isWaiting = true
    this.#decide = decision => {
      if (decision === 'wait') return
      this.#isWithoutRepair = true
      skipped.abort()
    }
    this.waiters.notify(busy(countdown, this.#options.title))
  }

  /** Checks and repairs. If the user skips it, the session is held from that moment. */
  async #repair(): Promise<CheckResult> {
    const { checks, served, slowCheckMs } = this.#options
    const { signal } = this.waiters
    const skipped = new AbortController()
    const { promise: skipping, resolve: skip } = Promise.withResolvers<Ready>()
    const slow = setTimeout(() => this.#explainSlowness(skip), slowCheckMs)
    if (this.#isWaiting) this.#decide = this.#makeDecide(skip)
    try {
      const repairing = checks.repairForResume(served.key, {
        onPhase: phase => this.#enter(phase),
        signal: AbortSignal.any([signal, skipped.signal]),
      })
      return await orAborted(Promise.race([repairing, skipping]), signal)
    } catch (error) {
      void skipping.then(({ release }) => release())
      throw error
    } finally {
      clearTimeout(slow)
      this.#decide = undefined
      skipped.abort()
    }
  }

  #enter(phase: 'checking' | 'repairing'): void {
    const { title } = this.#options
    this.#isRepairing = phase === 'repairing'
    if (this.#isRepairing) this.waiters.notify(repairing(title))
    // During the countdown the clients already know that the check repeats.
    else if (!this.#isWaiting) this.waiters.notify(checking(title))
  }

  /** A running repair is always waited for: an agent must not start in the middle of it. */
  #explainSlowness(skip: (ready: Ready) => void): void {
    const { served, sessions } = this.#options
    if (this.#isRepairing) return
    const seconds = Math.round((performance.now() - this.#begun) / 1000)
    this.#decide = this.#makeDecide(skip)
    this.waiters.notify(slowCheck((sessions.get(served.key) ?? served).row, seconds, sessions.progress))
  }

  #makeDecide(skip: (ready: Ready) => void): (decision: Decision) => void {
    const { title } = this.#options
    return decision => {
      if (decision === 'wait') {
        if (!this.#isRepairing && !this.#isWaiting) this.waiters.notify(stillChecking(title))
        return
      }
      this.#isWithoutRepair = true
      const release = this.#hold()
      if (release === undefined) this.waiters.notify(alreadyRepairing(title))
      else skip({ release })
    }
  }

  /**
   * Blocks new repairs first, then checks for a running one, so that none starts in between. Undefined if one
   * is running.
   */
  #hold(): (() => void) | undefined {
    const { checks, served } = this.#options
    const release = checks.hold(served.key)
    if (!checks.isRepairing(served.key)) return release
    release()
    return undefined
  }

  /** Waits for a repair that another client started between our check and our hold. */
  async #repairEnds(): Promise<void> {
    const { checks, served, title } = this.#options
    this.waiters.notify(repairing(title))
    while (checks.isRepairing(served.key)) await sleep(REPAIR_POLL_MS, undefined, { signal: this.waiters.signal })
  }
}

function stillBusy({ reason, filePath: path }: Verdict): RethreadError {
  const { text = 'The session is being written.', hint = 'Close its agent, then resume it again.' } = reason ?? {}
  return new RethreadError({ code: 'busy', text, hint, path })
}
