// One listener: a place in the ring that moves on as it reads. It holds no events of its own, so a slow one costs nothing but its place.
import type { BusEntry } from './bus-entry.ts'

export interface SubscriptionFacts {
  /** The id of the last event it has had. */
  cursor: number
  /** It asked for more than there is: it has to fetch everything again. */
  hasMissed: boolean
  directory: string | undefined
  read(cursor: number): BusEntry | undefined
  onClose(subscription: Subscription): void
}

export class Subscription {
  readonly hasMissed: boolean
  readonly #facts: SubscriptionFacts
  #cursor: number
  #closed: string | undefined
  #wake: (() => void) | undefined

  constructor(facts: SubscriptionFacts) {
    this.#facts = facts
    this.#cursor = facts.cursor
    this.hasMissed = facts.hasMissed
  }

  get cursor(): number {
    return this.#cursor
  }

  /** Why nothing comes any more; undefined as long as something may. */
  get closed(): string | undefined {
    return this.#closed
  }

  /** What there is, in order, up to roughly so many bytes and at least one. */
  take(maxBytes: number): BusEntry[] {
    const { directory, read } = this.#facts
    const taken: BusEntry[] = []
    for (let bytes = 0; bytes < maxBytes && this.#closed === undefined; ) {
      const entry = read(this.#cursor)
      if (entry === undefined) break
      this.#cursor = entry.id
      if (directory !== undefined && entry.directory !== undefined && entry.directory !== directory) continue
      taken.push(entry)
      bytes += entry.bytes
    }
    return taken
  }

  /** Until there may be something to take, or it is closed. */
  async wait(): Promise<void> {
    if (this.#closed !== undefined || this.#facts.read(this.#cursor) !== undefined) return
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
  }

  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  drop(reason: string): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    this.#facts.onClose(this)
    this.wake()
  }

  close(): void {
    this.drop('closed by the listener')
  }
}
