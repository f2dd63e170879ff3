// Who wants to hear of verdicts and of how far the check has come.
import type { Progress, SessionStatusMessage } from '../protocol.ts'

interface Events {
  status: SessionStatusMessage
  progress: Progress
}

export class Listeners {
  readonly #status = new Set<(message: SessionStatusMessage) => void>()
  readonly #progress = new Set<(progress: Progress) => void>()

  /** Returns how to stop listening. */
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
