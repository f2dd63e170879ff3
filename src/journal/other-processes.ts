// What other processes do to the journal. A conversation that an editor holds is live here too: its events
// are published, it is announced when it begins, and released when that process has ended, in whatever way.
import { setTimeout as sleep } from 'node:timers/promises'
import { isStillRunning } from '../disk/processes/process-identity.ts'
import type { PublishEvent } from './connection/journal-writer.ts'
import type { JournalConnection, JournalFollower, JournalStore } from './store/store.ts'

/** How soon a person sees what happens in another process. */
const POLL_MS = 150
/**
 * How often sessions are listed while the journal changes, and processes are checked while they hold some.
 */
const PASS_MS = 500

export interface OtherProcessesOptions {
  store: JournalStore
  publish: PublishEvent
  /** Whether this process opened the connection. Its events are published when they are written. */
  isOwn(connectionId: string): boolean
  /** Ends what processes that have exited left open. */
  settle(ended: readonly JournalConnection[]): Promise<void>
  onError(error: unknown): void
}

/** `isReleased`: a process has ended, or has given up its agent. Its conversations can be written to. */
export interface OthersChange {
  /** The ids of conversations. Those of this process are among them. */
  created: readonly string[]
  removed: readonly string[]
  isReleased: boolean
}

type Listener = (change: OthersChange) => Promise<void> | undefined

export class OtherProcesses {
  readonly #options: OtherProcessesOptions
  readonly #listeners = new Set<Listener>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #sessions: ReadonlySet<string> = new Set()
  /** Connections of other processes. */
  #held: readonly JournalConnection[] = []
  /** Those that a caller has met since the last pass. */
  #met: JournalConnection[] = []
  #isDue = true
  #passedAt = 0

  constructor(options: OtherProcessesOptions) {
    this.#options = options
  }

  /** A listener must not throw. The events that follow wait for it. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when nothing that happens from now on is missed. */
  async follow(): Promise<void> {
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    this.#running ??= this.#run(this.#stopping.signal, resolve).finally(resolve)
    await begun
  }

  /** Its release is published, even if it begins and ends between two passes. */
  publishRelease(holder: JournalConnection): void {
    if (this.#running === undefined) return
    this.#met.push(holder)
    this.#isDue = true
  }

  /** Resolves when nothing more is read. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(signal: AbortSignal, onBegun: () => void): Promise<void> {
    try {
      const follower = await this.#options.store.follow()
      this.#sessions = (await follower.liveSessions()) ?? this.#sessions
      onBegun()
      while (!signal.aborted) {
        await this.#step(follower)
        await sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => undefined)
      }
    } catch (error) {
      // Reading the journal reports the same to every caller that needs it.
      if (!signal.aborted) this.#options.onError(error)
    }
  }

  async #step(follower: JournalFollower): Promise<void> {
    const { publish, isOwn } = this.#options
    const { events, isChanged } = await follower.next()
    this.#isDue ||= isChanged
    // A session is announced before its events.
    const isNew = events.some(({ sessionId }) => !this.#sessions.has(sessionId))
    if (isNew || performance.now() - this.#passedAt >= PASS_MS) await this.#pass(follower)
    for (const event of events) {
      const isOfConnection = event.sessionId === event.connectionId
      if (!isOfConnection && !isOwn(event.connectionId)) await publish(event)
    }
  }

  async #pass(follower: JournalFollower): Promise<void> {
    this.#passedAt = performance.now()
    const before = this.#sessions
    const known = [...this.#held, ...this.#met.splice(0)]
    if (this.#isDue) {
      this.#isDue = false
      this.#sessions = (await follower.liveSessions()) ?? before
      this.#held = await this.#readHeld()
    }
    const isReleased = await this.#release(known)
    const created = before === this.#sessions ? [] : [...this.#sessions].filter(id => !before.has(id))
    const removed = before === this.#sessions ? [] : [...before].filter(id => !this.#sessions.has(id))
    if (!isReleased && created.length === 0 && removed.length === 0) return
    for (const listener of this.#listeners) await listener({ created, removed, isReleased })
  }

  async #readHeld(): Promise<JournalConnection[]> {
    const { store, isOwn } = this.#options
    return (await store.listOpenConnections()).filter(({ id }) => !isOwn(id))
  }

  /** `known`: those of the last pass, and those met since. Whether one of them is over. */
  async #release(known: readonly JournalConnection[]): Promise<boolean> {
    const ended = this.#held.filter(({ owner }) => !isStillRunning(owner))
    if (ended.length > 0) await this.#options.settle(ended)
    this.#held = this.#held.filter(connection => !ended.includes(connection))
    const held = new Set(this.#held.map(({ id }) => id))
    return known.some(({ id }) => !held.has(id))
  }
}
