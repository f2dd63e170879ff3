// The copy of a large log for the vault, made by another thread as soon as something to repair is expected: the rest of
// the check takes as long as the copy.
import { type CopiedAhead, copyAhead } from '../disk/vault/copy-ahead.ts'
import type { SessionRef } from '../model/session.ts'
import { copyThread, isWorthThreads, warmUpCopy } from './scan/scan-in-threads.ts'

export class AheadOfPlan {
  readonly #state: string
  readonly #session: SessionRef
  #begun: CopiedAhead | undefined

  constructor(state: string, session: SessionRef) {
    this.#state = state
    this.#session = session
    warmUpCopy(session.fileSize)
  }

  readonly begin = (): void => {
    const { agent, sessionId, filePath, fileSize } = this.#session
    if (isWorthThreads(fileSize))
      this.#begun ??= copyAhead({ state: this.#state, agent, sessionId, filePath }, copyThread)
  }

  /** From here on it is the caller's. */
  take(): CopiedAhead | undefined {
    const begun = this.#begun
    this.#begun = undefined
    return begun
  }

  /** Removes what was not taken. */
  async end(): Promise<void> {
    await this.take()?.discard()
  }
}
