// Publishes events to all listeners, and keeps the newest ones for clients that reconnect. Each event is
// serialised once, not once for each listener.

import { setTimeout as sleep } from 'node:timers/promises'
import { eventId } from '../ids.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'

/** The ring keeps this many events, and bytes, for `Last-Event-ID`: some minutes of a busy session. */
const RING_EVENTS = 4096
const RING_BYTES = 32 * 1024 * 1024
/** A listener this far behind is disconnected. It can resume as long as the ring has its next event. */
const MAX_LAG_EVENTS = 2048
const MAX_LAG_BYTES = 16 * 1024 * 1024
/**
 * More events than this in one millisecond let the ids run ahead of
 * the clock. A double holds such ids until 2248.
 */
const IDS_PER_MS = 1024
/** A listener that reads nothing for this long does not hold up answers. */
const MAX_FLUSH_MS = 5000
/** Clients that exit with an answer show the events before it a moment after they have them. */
const HEAD_START_MS = 50

export interface BusOptions {
  /** In milliseconds, at least the time of the newest event in the journal, so that ids never go back. */
  startedAt?: number
  ringEvents?: number
  ringBytes?: number
  maxLagEvents?: number
  maxLagBytes?: number
}

export interface SubscribeOptions {
  /** The last event that the client has seen. */
  after?: number
  /** Only events of this folder, and events without a folder. */
  directory?: string
}

export class Bus {
  readonly #options: Required<Omit<BusOptions, 'startedAt'>>
  readonly #subscriptions = new Set<Subscription>()
  /** Ids without gaps. */
  #ring: BusEntry[] = []
  /** How many entries at the start of the ring are no longer available. */
  #dropped = 0
  #lastId: number
  /** Bytes of all events ever published, so that a lag in bytes is one subtraction. */
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

  /** `directory`: the folder of the session. Absent for events that go to all listeners. */
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

  /**
   * Resolves when everything published so far was handed to the sockets of all present listeners. A listener
   * that disconnects or does not read is not waited for.
   */
  async flushed(maxMs = MAX_FLUSH_MS): Promise<void> {
    const id = this.#lastId
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, maxMs)
    await Promise.race([late, Promise.all([...this.#subscriptions].map(async one => await one.handled(id)))])
    clearTimeout(timer)
    // A socket writes what it was given in this round of the event loop at its end.
    await new Promise<void>(resolve => setImmediate(resolve))
    if (this.#subscriptions.size > 0) await sleep(HEAD_START_MS)
  }

  /** Disconnects all listeners. */
  close(): void {
    for (const subscription of this.#subscriptions) subscription.drop('the server stops')
  }

  #firstId(): number {
    return this.#ring[this.#dropped]?.id ?? this.#lastId + 1
  }

  #after(cursor: number): BusEntry | undefined {
    return this.#ring[this.#dropped + Math.max(0, cursor + 1 - this.#firstId())]
  }

  #shrink(): void {
    const { ringEvents, ringBytes } = this.#options
    for (; this.#dropped < this.#ring.length - 1; this.#dropped++) {
      const bytes = this.#bytesEver - (this.#ring[this.#dropped]?.bytesBefore ?? this.#bytesEver)
      if (this.#ring.length - this.#dropped <= ringEvents && bytes <= ringBytes) break
    }
    // Copied rarely, so that the cost of an event does not depend on the ring size.
    if (this.#dropped > ringEvents) {
      this.#ring = this.#ring.slice(this.#dropped)
      this.#dropped = 0
    }
  }

  #isTooSlow({ cursor }: Subscription): boolean {
    const { maxLagEvents, maxLagBytes } = this.#options
    if (this.#lastId - cursor > maxLagEvents || cursor < this.#firstId() - 1) return true
    const next = this.#after(cursor)
    return next !== undefined && this.#bytesEver - next.bytesBefore > maxLagBytes
  }
}

export interface SubscriptionFacts {
  /** The id of the last event it has received. */
  cursor: number
  /** The requested events are no longer available. The client has to fetch everything again. */
  hasMissed: boolean
  directory: string | undefined
  read(cursor: number): BusEntry | undefined
  onClose(subscription: Subscription): void
}

/** One listener: a position in the ring. It holds no events of its own, so a slow one costs no memory. */
export class Subscription {
  readonly hasMissed: boolean
  readonly #facts: SubscriptionFacts
  #cursor: number
  /** The id of the last event that its reader is done with. */
  #handled: number
  #closed: string | undefined
  #wake: (() => void) | undefined
  readonly #waiting = new Set<() => void>()

  constructor(facts: SubscriptionFacts) {
    this.#facts = facts
    this.#cursor = facts.cursor
    this.#handled = facts.cursor
    this.hasMissed = facts.hasMissed
  }

  get cursor(): number {
    return this.#cursor
  }

  /** Why the subscription ended. Undefined while it is open. */
  get closed(): string | undefined {
    return this.#closed
  }

  /**
   * Takes the next events in order, at least one and up to about `maxBytes`. A reader that asks for more is
   * done with those that it took before.
   */
  take(maxBytes: number): BusEntry[] {
    const { directory, read } = this.#facts
    this.#handle()
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

  /** Resolves when an event may be available, or the subscription is closed. */
  async wait(): Promise<void> {
    this.#handle()
    if (this.#closed !== undefined || this.#facts.read(this.#cursor) !== undefined) return
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
  }

  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  /** Resolves when its reader is done with the event, or the subscription is closed. */
  async handled(id: number): Promise<void> {
    while (this.#closed === undefined && this.#handled < id)
      await new Promise<void>(resolve => this.#waiting.add(resolve))
  }

  #handle(): void {
    this.#handled = this.#cursor
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  drop(reason: string): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    this.#facts.onClose(this)
    this.wake()
    this.#handle()
  }

  close(): void {
    this.drop('closed by the listener')
  }
}

/** `bare`: the event itself. `wrapped`: with the folder it belongs to. */
export type EventFormat = 'bare' | 'wrapped'

/** The folder of an event without a folder. */
const EVERYWHERE = 'global'
const DATA = 'data: '

export interface EntryFacts {
  id: number
  event: OpenCodeEvent
  directory: string | undefined
  bytesBefore: number
}

/** One event, serialised once for each format. */
class BusEntry {
  readonly id: number
  readonly directory: string | undefined
  readonly bytesBefore: number
  readonly bytes: number
  readonly #bare: Buffer
  #wrapped: Buffer | undefined

  constructor({ id, event, directory, bytesBefore }: EntryFacts) {
    this.id = id
    this.directory = directory
    this.bytesBefore = bytesBefore
    this.#bare = frameOf(id, jsonOf(event, id))
    this.bytes = this.#bare.length
  }

  /** The bytes in an event stream. */
  frame(format: EventFormat): Buffer {
    if (format === 'bare') return this.#bare
    this.#wrapped ??= frameOf(this.id, wrap(dataOf(this.#bare), this.directory))
    return this.#wrapped
  }
}

export interface FrameOptions {
  format: EventFormat
  /** Without it, the frame has no id for `Last-Event-ID`. */
  isResumable?: boolean
  directory?: string
}

/** A frame for one listener only. */
export function makeFrame(event: OpenCodeEvent, id: number, { format, isResumable, directory }: FrameOptions): Buffer {
  const json = jsonOf(event, id)
  return frameOf(isResumable === true ? id : undefined, format === 'bare' ? json : wrap(json, directory))
}

export function makeComment(text: string): Buffer {
  return Buffer.from(`: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`)
}

function jsonOf({ type, properties }: OpenCodeEvent, id: number): string {
  return JSON.stringify({ id: eventId(id), type, properties })
}

function wrap(json: string, directory: string | undefined): string {
  return `{"directory":${JSON.stringify(directory ?? EVERYWHERE)},"payload":${json}}`
}

/** JSON has no line breaks, so the data is one line. */
function frameOf(id: number | undefined, json: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}${DATA}${json}\n\n`)
}

function dataOf(frame: Buffer): string {
  return frame.toString('utf8', frame.indexOf(DATA) + DATA.length, frame.length - 2)
}
