// The copy of a large log for the vault, made by another thread as soon as something to repair is expected: the rest of
// the check takes as long as the copy.
import { type CopiedAhead, copyAhead } from '../disk/vault/copy-ahead.ts'
import type { SessionRef } from '../model/session.ts'
import { copyThread, isWorthThreads, warmUpCopy } from './scan/scan-in-threads.ts'

/** Called when the copy begins. What it returns is called when the copy or the plan is complete. */
export type WhileCopying = () => () => void

export class AheadOfPlan {
  readonly #state: string
  readonly #session: SessionRef
  readonly #whileCopying: WhileCopying
  #begun: CopiedAhead | undefined
  #stop = (): void => {}

  constructor(state: string, session: SessionRef, whileCopying: WhileCopying = () => () => {}) {
    this.#state = state
    this.#session = session
    this.#whileCopying = whileCopying
    warmUpCopy(session.fileSize)
  }

  readonly begin = (): void => {
    const { agent, sessionId, filePath, fileSize } = this.#session
    if (this.#begun !== undefined || !isWorthThreads(fileSize)) return
    this.#begun = copyAhead({ state: this.#state, agent, sessionId, filePath }, copyThread)
    if (this.#begun === undefined) return
    this.#stop = once(this.#whileCopying())
    void this.#begun.settle().then(this.#stop)
  }

  /** The plan is complete. The copy may not be. */
  planned(): void {
    this.#stop()
  }

  /** From here on it is the caller's. */
  take(): CopiedAhead | undefined {
    const begun = this.#begun
    this.#begun = undefined
    return begun
  }

  /** Removes what was not taken. */
  async end(): Promise<void> {
    this.planned()
    await this.take()?.discard()
  }
}

function once(call: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) call()
    isDone = true
  }
}
