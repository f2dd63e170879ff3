// The views of active and recently used sessions. Each is built from the journal when needed, and dropped
// when there are too many.

import type { JournalEvent, JournalSession, JournalStore } from '../../journal/store/store.ts'
import { RethreadError } from '../../model/errors.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { MessageWithParts } from '../shapes/message.ts'
import { parseMetadata, type SessionMetadata } from '../shapes/session.ts'
import { buildView, catchUp, PendingEvents } from './build-view.ts'
import { MAX_IGNORED, MAX_VIEWS, MAX_VIEWS_BYTES } from './limits.ts'
import type { MessagePageOptions } from './message-cache.ts'
import type { OpenRequest } from './open-requests.ts'
import type { SessionView, SessionViewOptions } from './session-view.ts'

export interface ViewsOptions {
  maxViews?: number
  maxBytes?: number
  view?: SessionViewOptions
}

interface Slot {
  view: SessionView | undefined
  /** Events that the view contained when it was built. */
  pending: PendingEvents
  /** The last queued task for this view. Undefined when idle. */
  work: Promise<unknown> | undefined
}

export class Views {
  readonly #store: JournalStore
  readonly #options: ViewsOptions
  /** Least recently used first, by journal id. */
  readonly #slots = new Map<string, Slot>()
  readonly #ignored = new Set<string>()

  constructor(store: JournalStore, options: ViewsOptions = {}) {
    this.#store = store
    this.#options = options
  }

  /**
   * For immediate use: a view kept for later may have been dropped and then no longer changes. Throws
   * `session-not-found`.
   */
  async get(sessionId: string): Promise<SessionView> {
    const slot = this.#touch(sessionId)
    if (slot.view !== undefined && slot.work === undefined) return slot.view
    return await this.#queue(sessionId, slot, async () => await this.#ensure(sessionId, slot))
  }

  /** The view, if it is loaded. */
  peek(sessionId: string): SessionView | undefined {
    return this.#slots.get(sessionId)?.view
  }

  active(): SessionView[] {
    return [...this.#slots.values()].flatMap(({ view }) => (view?.isActive === true ? [view] : []))
  }

  /** Finds an open request. A view with one is never dropped, so it is loaded. */
  findRequest(requestId: string): { view: SessionView; asked: OpenRequest } | undefined {
    for (const { view } of this.#slots.values()) {
      const asked = view?.findRequest(requestId)
      if (view !== undefined && asked !== undefined) return { view, asked }
    }
    return undefined
  }

  /**
   * Takes every event of the journal, once and in order for each session. Returns the events to publish.
   * Where the view has to be built first, later events wait for it. Rejects where the journal cannot be read;
   * clients then have to fetch again.
   */
  onEvent(event: JournalEvent): OpenCodeEvent[] | Promise<OpenCodeEvent[]> {
    const { sessionId } = event
    if (this.#ignored.has(sessionId)) return []
    const slot = this.#touch(sessionId)
    const isNext = slot.view !== undefined && event.seq <= slot.view.lastSeq + 1
    if (slot.view !== undefined && isNext && slot.work === undefined) return this.#applyEvent(slot, slot.view, event)
    return this.#queue(sessionId, slot, async () => await this.#applyWhenBuilt(slot, event)).catch(error => {
      if (this.#ignored.has(sessionId)) return []
      throw error
    })
  }

  /** Oldest first. Dropped messages are read from the journal again. */
  async messages(sessionId: string, options: MessagePageOptions = {}): Promise<MessageWithParts[]> {
    const view = await this.get(sessionId)
    const listed = view.listMessages(options)
    if (listed.every(({ isHeld }) => isHeld)) return view.messages(options)
    const positions = new Set(listed.map(({ position }) => position))
    const again = await this.#build(sessionId, {
      maxBytes: Number.POSITIVE_INFINITY,
      isWanted: position => positions.has(position),
    })
    return listed.flatMap(({ id }) => again.view.message(id) ?? [])
  }

  async message(sessionId: string, id: string): Promise<MessageWithParts | undefined> {
    const view = await this.get(sessionId)
    if (!view.hasMessage(id)) return undefined
    const held = view.message(id)
    if (held !== undefined) return held
    const position = view.listMessages().findIndex(listed => listed.id === id)
    const options = { maxBytes: Number.POSITIVE_INFINITY, isWanted: (at: number) => at === position }
    return (await this.#build(sessionId, options)).view.message(id)
  }

  /** The events that the last change to idle published, as after a turn that was cut off. */
  async lastEnd(sessionId: string): Promise<{ seq: number; events: OpenCodeEvent[] }> {
    let last: { seq: number; events: OpenCodeEvent[] } = { seq: 0, events: [] }
    const { session, metadata } = await this.#read(sessionId)
    await buildView(this.#store, session, metadata, this.#options.view ?? {}, (seq, events) => {
      if (events.some(({ type }) => type === 'session.idle')) last = { seq, events }
    })
    return last
  }

  /** Called after the row has changed. The view is rebuilt when needed. */
  forget(sessionId: string): void {
    this.#slots.delete(sessionId)
  }

  #touch(sessionId: string): Slot {
    const slot = this.#slots.get(sessionId) ?? { view: undefined, pending: new PendingEvents(), work: undefined }
    this.#slots.delete(sessionId)
    this.#slots.set(sessionId, slot)
    return slot
  }

  #queue<Result>(sessionId: string, slot: Slot, task: () => Promise<Result>): Promise<Result> {
    const done = (slot.work ?? Promise.resolve()).then(task, task)
    const settled = done
      .catch(() => {
        // The caller gets the error. The next call starts again.
        if (slot.view === undefined && this.#slots.get(sessionId) === slot) this.#slots.delete(sessionId)
      })
      .then(() => {
        if (slot.work === settled) slot.work = undefined
        this.#dropIdle()
      })
    slot.work = settled
    return done
  }

  async #ensure(sessionId: string, slot: Slot): Promise<SessionView> {
    if (slot.view !== undefined) return slot.view
    const { view, pending } = await this.#build(sessionId, {})
    slot.view = view
    slot.pending = pending
    return view
  }

  async #build(sessionId: string, more: SessionViewOptions): Promise<{ view: SessionView; pending: PendingEvents }> {
    const { session, metadata } = await this.#read(sessionId)
    return await buildView(this.#store, session, metadata, { ...this.#options.view, ...more })
  }

  async #read(sessionId: string): Promise<{ session: JournalSession; metadata: SessionMetadata }> {
    const session = await this.#store.getSession(sessionId)
    if (session !== undefined && session.kind !== 'conversation') this.#ignore(sessionId)
    if (session === undefined || session.kind !== 'conversation') throw noSession(sessionId)
    return { session, metadata: parseMetadata(await this.#store.getMetadata(sessionId)) }
  }

  /** An event that is already in the view came with the build and is published now. */
  #applyEvent(slot: Slot, view: SessionView, event: JournalEvent): OpenCodeEvent[] {
    if (event.seq <= view.lastSeq) return slot.pending.take(event.seq)
    slot.pending.clear()
    const events = view.apply(event)
    if (!view.isActive) this.#dropIdle()
    return events
  }

  async #applyWhenBuilt(slot: Slot, event: JournalEvent): Promise<OpenCodeEvent[]> {
    const view = await this.#ensure(event.sessionId, slot)
    // Events that another process wrote to the journal are published too.
    const missed = await catchUp(this.#store, view, event.seq - 1)
    return [...missed, ...this.#applyEvent(slot, view, event)]
  }

  #ignore(sessionId: string): void {
    this.#ignored.add(sessionId)
    this.#slots.delete(sessionId)
    for (const oldest of this.#ignored) if (this.#ignored.size > MAX_IGNORED) this.#ignored.delete(oldest)
  }

  #dropIdle(): void {
    const { maxViews = MAX_VIEWS, maxBytes = MAX_VIEWS_BYTES } = this.#options
    let bytes = 0
    for (const { view } of this.#slots.values()) bytes += view?.bytes ?? 0
    for (const [id, { view, work }] of this.#slots) {
      if (this.#slots.size <= maxViews && bytes <= maxBytes) return
      if (view === undefined || work !== undefined || view.isActive) continue
      this.#slots.delete(id)
      bytes -= view.bytes
    }
  }
}

function noSession(id: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no conversation ${id} in the journal.`,
    hint: 'List the sessions to see their ids.',
  })
}
