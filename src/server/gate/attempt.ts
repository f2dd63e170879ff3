// One session on its way into a terminal. It ends with nobody writing, nobody about to, and the session held; or nobody waits for it any more.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RepairReport, Verdict } from '../../model/verdict.ts'
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
}

export type Decision = 'wait' | 'without-repair'

export class Attempt {
  readonly waiters = new Waiters()
  readonly #options: AttemptOptions
  readonly #begun = performance.now()
  /** What a decision leads to at the moment; undefined where none was asked for. */
  #decide: ((decision: Decision) => void) | undefined
  #isRepairing = false
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

  /** Rejects when nobody waits any more; then nothing is held. */
  async makeReady(): Promise<Ready> {
    for (;;) {
      const found: Found = this.#isWithoutRepair ? {} : await this.#mend()
      if (found.release !== undefined) return { ...found, release: found.release }
      if (found.verdict?.status === 'busy' && !this.#isWithoutRepair) {
        await this.#askAboutBusy(found.verdict)
        if (!this.#isWithoutRepair) continue
      }
      const release = this.#hold()
      if (release !== undefined) return { ...found, release }
      await this.#repairEnds()
    }
  }

  /** Checks and mends. If the person does not want to wait for that, the session is held from the moment in which they say so. */
  async #mend(): Promise<Found> {
    const { checks, served, slowCheckMs } = this.#options
    const { signal } = this.waiters
    const skipped = new AbortController()
    const { promise: skipping, resolve: skip } = Promise.withResolvers<Ready>()
    const slow = setTimeout(() => this.#explainSlowness(skip), slowCheckMs)
    try {
      const mending = checks.mendForResume(served.key, {
        onPhase: phase => this.#enter(phase),
        signal: AbortSignal.any([signal, skipped.signal]),
      })
      return await orAborted(Promise.race([mending, skipping]), signal)
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
    this.waiters.tell(this.#isRepairing ? repairing(title) : checking(title))
  }

  /** A repair that has begun is waited for, whatever the person wants: nothing is worse than an agent that starts in the middle of it. */
  #explainSlowness(skip: (ready: Ready) => void): void {
    const { served, sessions, title } = this.#options
    if (this.#isRepairing) return
    const seconds = Math.round((performance.now() - this.#begun) / 1000)
    this.#decide = decision => {
      if (decision === 'wait') {
        if (!this.#isRepairing) this.waiters.tell(stillChecking(title))
        return
      }
      this.#isWithoutRepair = true
      const release = this.#hold()
      if (release === undefined) this.waiters.tell(alreadyRepairing(title))
      else skip({ release })
    }
    this.waiters.tell(slowCheck((sessions.get(served.key) ?? served).row, seconds, sessions.progress))
  }

  async #askAboutBusy(verdict: Verdict): Promise<void> {
    const { promise: decided, resolve } = Promise.withResolvers<void>()
    this.#decide = decision => {
      this.#isWithoutRepair = decision === 'without-repair'
      resolve()
    }
    this.waiters.tell(busy(verdict))
    try {
      await orAborted(decided, this.waiters.signal)
    } finally {
      this.#decide = undefined
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
