// Writes the messages of a connection into the journal and publishes them, in this order for each session.
import { randomUUID } from 'node:crypto'
import type { Envelope, JournalEvent, JournalStore, Sender, SessionChange, StateChange } from '../store/store.ts'

export interface JournalEntry {
  sessionId: string
  kind: string
  sender: Sender
  payload: Buffer
  /** The parsed payload. */
  envelope: unknown
  change?: SessionChange
}

/** Called once the event is on disk. A slow listener returns a promise, and the agent waits. */
export type PublishEvent = (event: JournalEvent) => Promise<void> | undefined

export class JournalWriter {
  readonly #store: JournalStore
  readonly #connectionId: string
  readonly #publish: PublishEvent
  /** The events written before. They are published first, even with a slow listener. */
  #pending: Promise<void> = Promise.resolve()

  constructor(store: JournalStore, connectionId: string, publish: PublishEvent) {
    this.#store = store
    this.#connectionId = connectionId
    this.#publish = publish
  }

  /**
   * Resolves when the entries are on disk and published. Consecutive entries of one session are one
   * transaction.
   */
  async write(entries: readonly JournalEntry[]): Promise<void> {
    const runs = splitRuns(entries)
    // All at once, so that they are committed together. The store keeps the order of the calls.
    const writing = Promise.allSettled(runs.map(async run => await this.#writeRun(run)))
    const publishing = this.#publishWritten(this.#pending, writing)
    this.#pending = publishing.catch(() => undefined)
    await publishing
  }

  async #publishWritten(
    before: Promise<void>,
    writing: Promise<PromiseSettledResult<JournalEvent[]>[]>,
  ): Promise<void> {
    const done = await writing
    await before
    for (const result of done) {
      if (result.status === 'rejected') throw result.reason
      for (const event of result.value) {
        const slow = this.#publish(event)
        if (slow !== undefined) await slow
      }
    }
  }

  async #writeRun(run: readonly JournalEntry[]): Promise<JournalEvent[]> {
    const [first] = run
    if (first === undefined) return []
    const createdAt = Date.now()
    const complete = run.map(({ kind, sender, payload, envelope }) => ({
      id: randomUUID(),
      createdAt,
      connectionId: this.#connectionId,
      kind,
      sender,
      payload,
      envelope,
    }))
    const change = changeOf(run)
    const { firstSeq } = await this.#store.append(first.sessionId, complete.map(toEnvelope), change)
    return complete.map((event, index) => ({ ...event, sessionId: first.sessionId, seq: firstSeq + index }))
  }
}

export function noteEntry(
  sessionId: string,
  { kind, sender, payload }: Envelope,
  change?: SessionChange,
): JournalEntry {
  const envelope: unknown = JSON.parse(payload.toString('utf8'))
  return { sessionId, kind, sender, payload, envelope, ...(change === undefined ? {} : { change }) }
}

function toEnvelope({ id, createdAt, connectionId, kind, sender, payload }: Required<Envelope>): Envelope {
  return { id, createdAt, connectionId, kind, sender, payload }
}

function changeOf(run: readonly JournalEntry[]): StateChange {
  const session: SessionChange = Object.assign({}, ...run.map(({ change }) => change))
  return Object.keys(session).length === 0 ? {} : { session }
}

function splitRuns(entries: readonly JournalEntry[]): JournalEntry[][] {
  const runs: JournalEntry[][] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (last?.[0]?.sessionId === entry.sessionId) last.push(entry)
    else runs.push([entry])
  }
  return runs
}
