// The typed events of the queue. A listener that throws does not stop the queue.
import type { SessionRef } from '../../model/session.ts'
import type { RepairReport, Verdict } from '../../model/verdict.ts'

export interface QueueEvents {
  /** After every check, and after a repair that was refused or not needed. */
  scanned: [verdict: Verdict]
  /** Only where something was repaired. */
  repaired: [report: RepairReport, verdict: Verdict]
  /** A check or a repair that failed, or a listener that threw. */
  error: [session: SessionRef, error: Error]
}

export type QueueListener<Name extends keyof QueueEvents> = (...details: QueueEvents[Name]) => void

export class QueueListeners {
  readonly #listeners: { [Name in keyof QueueEvents]: Set<QueueListener<Name>> } = {
    scanned: new Set(),
    repaired: new Set(),
    error: new Set(),
  }

  /** Returns how to stop listening. */
  on<Name extends keyof QueueEvents>(name: Name, listener: QueueListener<Name>): () => void {
    this.#listeners[name].add(listener)
    return () => void this.#listeners[name].delete(listener)
  }

  /** `session` is what it is about, for the error of a listener that throws. */
  notify<Name extends keyof QueueEvents>(session: SessionRef, name: Name, ...details: QueueEvents[Name]): void {
    // An error in an error listener becomes a process warning.
    const refuse = (error: unknown): void =>
      name === 'error' ? process.emitWarning(asError(error)) : this.notify(session, 'error', session, asError(error))
    for (const listener of [...this.#listeners[name]])
      try {
        // An async function is a listener too, and must not end the process by its rejection.
        const returned: unknown = listener(...details)
        if (returned instanceof Promise) returned.catch(refuse)
      } catch (error) {
        refuse(error)
      }
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
