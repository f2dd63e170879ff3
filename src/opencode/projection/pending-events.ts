// What events are told as that a view was built with before they were told to it: those on their way from the disk to the listeners.
import type { OpenCodeEvent } from '../shapes/event.ts'
import { MAX_UNTOLD } from './limits.ts'

export class PendingEvents {
  readonly #events = new Map<number, OpenCodeEvent[]>()

  add(seq: number, events: OpenCodeEvent[]): void {
    this.#events.set(seq, events)
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= MAX_UNTOLD) return
      this.#events.delete(oldest)
    }
  }

  /** Once. Events come in order, so those before it will not be asked for. */
  take(seq: number): OpenCodeEvent[] {
    const events = this.#events.get(seq) ?? []
    for (const known of this.#events.keys()) if (known <= seq) this.#events.delete(known)
    return events
  }

  clear(): void {
    this.#events.clear()
  }
}
