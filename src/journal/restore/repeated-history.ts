// The history that an agent repeats while it loads a session. It should come before the answer, but some
// agents answer first.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binding } from '../connection/attribution.ts'
import { isHistoryUpdate } from '../connection/attribution.ts'
import { LATE_HISTORY_MS } from '../connection/limits.ts'
import type { JournalStore } from '../store/store.ts'
import { type LoadMatch, LoadMatcher } from './match/match.ts'

export class RepeatedHistory {
  readonly #matcher = new LoadMatcher()
  readonly #binding: Binding
  #late = 0

  constructor(binding: Binding) {
    this.#binding = binding
    binding.repeated = params => {
      this.#matcher.add(params)
      return true
    }
  }

  onAnswer(): void {
    this.#binding.repeated = params => this.#takeLate(params)
  }

  /** Later updates count as new. */
  stop(): void {
    this.#binding.repeated = undefined
  }

  /**
   * Waits for late updates, at most until `deadline`. A late agent may continue to repeat until the first
   * prompt.
   */
  async compare(store: JournalStore, sessionId: string, deadline: number): Promise<LoadMatch> {
    const match = await this.#matcher.compare(store, sessionId)
    if (match.verdict !== 'all') await this.#untilQuiet(deadline)
    if (this.#late > 0) return await this.#matcher.compare(store, sessionId)
    this.stop()
    return match
  }

  async #untilQuiet(deadline: number): Promise<void> {
    for (let seen = -1; seen !== this.#late && Date.now() < deadline; ) {
      seen = this.#late
      await sleep(LATE_HISTORY_MS)
    }
  }

  #takeLate(params: unknown): boolean {
    if (!isHistoryUpdate(params)) return false
    this.#late++
    this.#matcher.add(params)
    return true
  }
}
