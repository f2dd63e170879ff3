// One session on its way into a terminal. It ends with nobody writing, nobody about to, and the session held; or nobody waits for it any more.
import { setTimeout as sleep } from 'node:timers/promises'
import { RethreadError } from '../../model/errors.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
import type { Countdown } from '../../repair/when-quiet.ts'
import { MAX_QUIET_WAIT_MS, whenQuiet } from '../../repair/when-quiet.ts'
import { orAborted } from '../checks/wait.ts'
import { REPAIR_LOOK_MS } from '../limits.ts'
import type { ServedSession } from '../sessions/index.ts'
import type { GateOptions } from './index.ts'
import { Waiters } from './waiters.ts'
import { alreadyRepairing, busy, checking, repairing, slowCheck, stillChecking } from './words.ts'

/** What the check and the repair came to; no verdict where the person did not wait for it. */
interface Found {
  verdict?: Verdict
  report?: RepairReport
  release?(): void
}

export interface Ready extends Found {
  /** No repair of the session begins before this is called. */
  release(): void
}

export interface AttemptOptions extends Pick<GateOptions, 'sessions' | 'checks'> {
  served: ServedSession
  /** The agent's name, for a person. */
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
  /** What a decision leads to at the moment; undefined where none was asked for. */
  #decide: ((decision: Decision) => void) | undefined
  #isRepairing = false
  /** The session is being written, and the clients see how long that is waited for. */
  #isWaiting = false
  /** The person has said so, and need not say it twice. */
  #isWithoutRepair = false

  constructor(options: AttemptOptions) {
    this.#options = options
  }

  /** False where nothing was asked. */
  decide(decision: Decision): boolean {
    this.#decide?.(decision)
    return this.#decide !== undefined
  }

  /** Rejects when nobody waits any more, or the session is written for too long; then nothing is held. */
  async makeReady(): Promise<Ready> {
    for (;;) {
      const found: Found = this.#isWithoutRepair ? {} : await this.#repairWhenQuiet()
      if (found.release !== undefined) return { ...found, release: found.release }
      if (found.verdict?.status === 'busy' && !this.#isWithoutRepair) throw stillBusy(found.verdict)
      const release = this.#hold()
      if (release !== undefined) return { ...found, release }
      await this.#repairEnds()
    }
  }

  /** Checks again and again while the session is being written; until then, the clients may start the agent without a repair. */
  async #repairWhenQuiet(): Promise<Found> {
    const { maxQuietWaitMs = MAX_QUIET_WAIT_MS } = this.#options
    const skipped = new AbortController()
    let last: Found = {}
    const attempt = async (): Promise<Found> => {
      last = await this.#repair()
      // Whoever has decided not to wait is not asked again.
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
    this.waiters.tell(busy(countdown, this.#options.title))
  }

  /** Checks and repairs. If the person does not want to wait for that, the session is held from the moment in which they say so. */
  async #repair(): Promise<Found> {
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
    if (this.#isRepairing) this.waiters.tell(repairing(title))
    // Who waits for a session to be free knows that it is checked again.
    else if (!this.#isWaiting) this.waiters.tell(checking(title))
  }

  /** A repair that has begun is waited for, whatever the person wants: nothing is worse than an agent that starts in the middle of it. */
  #explainSlowness(skip: (ready: Ready) => void): void {
    const { served, sessions } = this.#options
    if (this.#isRepairing) return
    const seconds = Math.round((performance.now() - this.#begun) / 1000)
    this.#decide = this.#makeDecide(skip)
    this.waiters.tell(slowCheck((sessions.get(served.key) ?? served).row, seconds, sessions.progress))
  }

  #makeDecide(skip: (ready: Ready) => void): (decision: Decision) => void {
    const { title } = this.#options
    return decision => {
      if (decision === 'wait') {
        if (!this.#isRepairing && !this.#isWaiting) this.waiters.tell(stillChecking(title))
        return
      }
      this.#isWithoutRepair = true
      const release = this.#hold()
      if (release === undefined) this.waiters.tell(alreadyRepairing(title))
      else skip({ release })
    }
  }

  /** First no repair can begin any more, then it is looked whether one has: so none comes in between. Undefined where one has. */
  #hold(): (() => void) | undefined {
    const { checks, served } = this.#options
    const release = checks.hold(served.key)
    if (!checks.isRepairing(served.key)) return release
    release()
    return undefined
  }

  /** Somebody else began one, between our check and our hold. */
  async #repairEnds(): Promise<void> {
    const { checks, served, title } = this.#options
    this.waiters.tell(repairing(title))
    while (checks.isRepairing(served.key)) await sleep(REPAIR_LOOK_MS, undefined, { signal: this.waiters.signal })
  }
}

function stillBusy({ reason, filePath: path }: Verdict): RethreadError {
  const { text = 'The session is being written.', hint = 'Close its agent, then resume it again.' } = reason ?? {}
  return new RethreadError({ code: 'busy', text, hint, path })
}
