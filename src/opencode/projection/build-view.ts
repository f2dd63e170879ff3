// Reads a session of the journal into a view, page by page.
import type { EventPage, JournalSession, JournalStore } from '../../journal/store/store.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { SessionMetadata } from '../shapes/session.ts'
import { MAX_PENDING_EVENTS, PAGE_EVENTS } from './limits.ts'
import { SessionView, type SessionViewOptions } from './session-view.ts'

export async function buildView(
  store: JournalStore,
  session: JournalSession,
  metadata: SessionMetadata,
  options: SessionViewOptions,
  onEvents: (seq: number, events: OpenCodeEvent[]) => void = () => undefined,
): Promise<{ view: SessionView; pending: PendingEvents }> {
  const view = new SessionView(session, metadata, options)
  const pending = new PendingEvents()
  await readInto(store, view, Number.POSITIVE_INFINITY, (seq, events) => {
    pending.add(seq, events)
    onEvents(seq, events)
  })
  return { view, pending }
}

/** Applies the missing events up to `upTo`, and returns what to publish. */
export async function catchUp(store: JournalStore, view: SessionView, upTo: number): Promise<OpenCodeEvent[]> {
  const missed: OpenCodeEvent[] = []
  await readInto(store, view, upTo, (_, events) => missed.push(...events))
  return missed
}

async function readInto(
  store: JournalStore,
  view: SessionView,
  upTo: number,
  onEvents: (seq: number, events: OpenCodeEvent[]) => void,
): Promise<void> {
  while (view.lastSeq < upTo) {
    const limit = Math.min(PAGE_EVENTS, upTo - view.lastSeq)
    const page = await store.page(view.session.id, { after: view.lastSeq, limit })
    applyPage(view, page, onEvents)
    // Without this, a view that does not advance would read the same page forever.
    if (page.lastSeq > view.lastSeq) view.skip({ at: page.lastSeq, reason: 'missing' })
    if (page.events.length + page.skipped.length === 0 || view.lastSeq >= page.total) return
  }
}

function applyPage(view: SessionView, page: EventPage, onEvents: (seq: number, events: OpenCodeEvent[]) => void): void {
  const skipped = page.skipped.toSorted((one, other) => one.at - other.at)
  const skipBefore = (seq: number): void => {
    for (let [next] = skipped; next !== undefined && next.at < seq; [next] = skipped) {
      skipped.shift()
      onEvents(next.upTo ?? next.at, view.skip(next))
    }
  }
  for (const event of page.events) {
    skipBefore(event.seq)
    onEvents(event.seq, view.apply(event))
  }
  skipBefore(Number.POSITIVE_INFINITY)
}

// Events that a view already contained when it was built, but that its listeners have not seen yet.

export class PendingEvents {
  readonly #events = new Map<number, OpenCodeEvent[]>()

  add(seq: number, events: OpenCodeEvent[]): void {
    this.#events.set(seq, events)
    for (const oldest of this.#events.keys()) {
      if (this.#events.size <= MAX_PENDING_EVENTS) return
      this.#events.delete(oldest)
    }
  }

  /** Returns the events once. Events arrive in order, so earlier ones are dropped. */
  take(seq: number): OpenCodeEvent[] {
    const events = this.#events.get(seq) ?? []
    for (const known of this.#events.keys()) if (known <= seq) this.#events.delete(known)
    return events
  }

  clear(): void {
    this.#events.clear()
  }
}
