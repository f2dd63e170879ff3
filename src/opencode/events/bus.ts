// Tells every event to everybody who listens, and keeps the newest for those who come back. An event is serialised once, not once for each listener.
import { BusEntry } from './bus-entry.ts'
import { IDS_PER_MS, MAX_LAG_BYTES, MAX_LAG_EVENTS, RING_BYTES, RING_EVENTS } from './bus-limits.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import { Subscription } from './subscription.ts'

export interface BusOptions {
  /** Milliseconds. The time of the newest event in the journal too, so that a clock that went back takes no id back. */
  startedAt?: number
  ringEvents?: number
  ringBytes?: number
  maxLagEvents?: number
  maxLagBytes?: number
}

export interface SubscribeOptions {
  /** The last one that was seen. */
  after?: number
  /** Only what belongs to this folder, and what belongs to none. */
  directory?: string
}

export class Bus {
  readonly #options: Required<Omit<BusOptions, 'startedAt'>>
  readonly #subscriptions = new Set<Subscription>()
  /** Their ids follow each other without a gap. */
  #ring: BusEntry[] = []
  /** Entries at the beginning of the ring that are gone. */
  #gone = 0
  #lastId: number
  /** Of all that were ever published, so that a lag in bytes is one subtraction. */
  #bytesEver = 0

  constructor(options: BusOptions = {}) {
    const { startedAt = Date.now(), ...limits } = options
    this.#lastId = Math.floor(startedAt) * IDS_PER_MS
    this.#options = {
      ringEvents: RING_EVENTS,
      ringBytes: RING_BYTES,
      maxLagEvents: MAX_LAG_EVENTS,
      maxLagBytes: MAX_LAG_BYTES,
      ...limits,
    }
  }

  get lastId(): number {
    return this.#lastId
  }

  get listeners(): number {
    return this.#subscriptions.size
  }

  /** `directory`: of the session they belong to; absent for what everybody is told. */
  publish(events: readonly OpenCodeEvent[], { directory }: { directory?: string } = {}): void {
    if (events.length === 0) return
    for (const event of events) {
      const entry = new BusEntry({ id: ++this.#lastId, event, directory, bytesBefore: this.#bytesEver })
      this.#bytesEver += entry.bytes
      this.#ring.push(entry)
    }
    this.#shrink()
    for (const subscription of this.#subscriptions) {
      if (this.#isTooSlow(subscription)) subscription.drop('too slow')
      else subscription.wake()
    }
  }

  subscribe({ after, directory }: SubscribeOptions = {}): Subscription {
    const isKnown = after === undefined || (after >= this.#firstId() - 1 && after <= this.#lastId)
    const subscription = new Subscription({
      cursor: after !== undefined && isKnown ? after : this.#lastId,
      hasMissed: !isKnown,
      directory,
      read: cursor => this.#after(cursor),
      onClose: closed => this.#subscriptions.delete(closed),
    })
    this.#subscriptions.add(subscription)
    return subscription
  }

  /** Everybody is told that it is over. */
  close(): void {
    for (const subscription of this.#subscriptions) subscription.drop('the server ends')
  }

  #firstId(): number {
    return this.#ring[this.#gone]?.id ?? this.#lastId + 1
  }

  #after(cursor: number): BusEntry | undefined {
    return this.#ring[this.#gone + Math.max(0, cursor + 1 - this.#firstId())]
  }

  #shrink(): void {
    const { ringEvents, ringBytes } = this.#options
    for (; this.#gone < this.#ring.length - 1; this.#gone++) {
      const bytes = this.#bytesEver - (this.#ring[this.#gone]?.bytesBefore ?? this.#bytesEver)
      if (this.#ring.length - this.#gone <= ringEvents && bytes <= ringBytes) break
    }
    // Moved rarely, so that an event costs the same however long the ring is.
    if (this.#gone > ringEvents) {
      this.#ring = this.#ring.slice(this.#gone)
      this.#gone = 0
    }
  }

  #isTooSlow({ cursor }: Subscription): boolean {
    const { maxLagEvents, maxLagBytes } = this.#options
    if (this.#lastId - cursor > maxLagEvents || cursor < this.#firstId() - 1) return true
    const next = this.#after(cursor)
    return next !== undefined && this.#bytesEver - next.bytesBefore > maxLagBytes
  }
}
