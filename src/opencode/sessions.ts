// The sessions of the journal as clients see them: find by wire id, list, create, change and remove.
import type { Conversations } from '../journal/conversations.ts'
import type { OthersChange } from '../journal/other-processes.ts'
import { hasTalked } from '../journal/queue.ts'
import type { JournalSession, JournalStore } from '../journal/store/store.ts'
import type { ModelChoice } from './catalogue/catalogue.ts'
import { modelIsFixed, noSession } from './errors.ts'
import type { Bus } from './events/bus.ts'
import { fromWireId, type SessionIds } from './ids.ts'
import { makeSession, type SessionOptions } from './projection/session-object.ts'
import type { SessionView } from './projection/session-view.ts'
import type { Views } from './projection/views.ts'
import type { OpenCodeEvent } from './shapes/event.ts'
import type { Session } from './shapes/session.ts'
import { parseMetadata, type SessionMetadata } from './shapes/session.ts'

export interface SessionsOptions {
  conversations: Conversations
  views: Views
  bus: Bus
  ids: SessionIds
  objects: SessionOptions
}

export interface SessionToCreate {
  choice: ModelChoice
  directory: string
  /** The id that the client chose. */
  id?: string
  metadata?: Partial<SessionMetadata>
}

const PAGE = 200
const MAX_ANNOUNCED = 1000
/** A list holds at most this many: the most recently used. */
const MAX_LISTED_SESSIONS = 10_000

export class Sessions {
  /** By journal id. A caller that changes a session or its metadata holds its lock. */
  readonly locks = new Locks()
  readonly #options: SessionsOptions
  /** By journal id: what clients were notified of. */
  readonly #announced = new Set<string>()
  readonly #removed = new Set<string>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  get #store(): JournalStore {
    return this.#options.conversations.store
  }

  /** Throws `session-not-found`, also for a removed session. */
  async find(id: string): Promise<JournalSession> {
    const found = await this.findIfThere(id)
    if (found === undefined) throw noSession(id)
    return found
  }

  async findIfThere(id: string): Promise<JournalSession | undefined> {
    for (const journalId of fromWireId(id)) {
      const session = await this.#store.getSession(journalId)
      if (session?.kind === 'conversation' && session.destroyedAt === undefined) return session
    }
    return undefined
  }

  /** The id of a removed session is not used again. */
  async wasRemoved(id: string): Promise<boolean> {
    return (await this.#store.getSession(id)) !== undefined
  }

  async view(id: string): Promise<SessionView> {
    return await this.#options.views.get((await this.find(id)).id)
  }

  /** Newest first. */
  async list(): Promise<{ record: JournalSession; session: Session }[]> {
    const listed: { record: JournalSession; session: Session }[] = []
    for (let before: number | undefined; listed.length < MAX_LISTED_SESSIONS; ) {
      const page = await this.#store.listSessions({ limit: PAGE, ...(before === undefined ? {} : { before }) })
      for (const record of page.sessions)
        if (record.destroyedAt === undefined) listed.push({ record, session: await this.#describe(record) })
      if (page.before === undefined) break
      before = page.before
    }
    return listed.sort(({ session: a }, { session: b }) => b.time.updated - a.time.updated || (a.id < b.id ? 1 : -1))
  }

  /** Uses the view if it is loaded, and otherwise does not read the events. */
  async #describe(record: JournalSession): Promise<Session> {
    const { views, objects } = this.#options
    const view = views.peek(record.id)
    if (view !== undefined) return view.toSession()
    return makeSession(record, await this.metadata(record.id), objects)
  }

  async metadata(journalId: string): Promise<SessionMetadata> {
    return parseMetadata(await this.#store.getMetadata(journalId))
  }

  /** Creates the session in the journal. Its agent starts with the first prompt. */
  async create({ choice, directory, id, metadata }: SessionToCreate): Promise<Session> {
    const { conversations, ids } = this.#options
    const { providerID, modelID } = choice
    const record = await conversations.prepare({
      agent: providerID,
      cwd: directory,
      id: id ?? ids.next(),
      metadata: { ...metadata, providerID, modelID, ...(id === undefined ? {} : { isGivenId: true }) },
    })
    return await this.announce(record.id)
  }

  /** Publishes a new session, once. It may have been found in the journal before its creator announces it. */
  async announce(journalId: string): Promise<Session> {
    const view = await this.#options.views.get(journalId)
    const info = view.toSession()
    if (this.#announced.has(journalId)) return info
    this.#announced.add(journalId)
    for (const oldest of this.#announced) if (this.#announced.size > MAX_ANNOUNCED) this.#announced.delete(oldest)
    this.publish(view, [{ type: 'session.created', properties: { sessionID: view.id, info } }])
    return info
  }

  /** Publishes what other processes did, and what this one did outside this API. */
  async noteOthers({ created, removed }: Pick<OthersChange, 'created' | 'removed'>): Promise<void> {
    for (const id of created) if ((await this.findIfThere(id)) !== undefined) await this.announce(id)
    for (const id of removed) {
      const view = this.#options.views.peek(id)
      const record = await this.#store.getSession(id)
      const info = view?.toSession() ?? (record === undefined ? undefined : await this.#describe(record))
      if (info !== undefined) this.#publishRemoved(id, info)
    }
  }

  /** Undefined values in `change` are removed. The caller holds the lock of the session. */
  async change(journalId: string, change: Partial<SessionMetadata>): Promise<Session> {
    const view = await this.#options.views.get(journalId)
    const before = await this.#store.getMetadata(journalId)
    const metadata = { ...before, ...change }
    await this.#store.setMetadata(journalId, metadata)
    this.publish(view, view.setMetadata(parseMetadata(metadata)))
    return view.toSession()
  }

  /** Stores title and time, so that a list needs no view. Publishes nothing: the view has done that. */
  async noteTurn(journalId: string, view: SessionView): Promise<void> {
    await this.locks.run(journalId, async () => {
      const { title: agentTitle, time } = { title: view.title, time: view.toSession().time }
      const before = await this.#store.getMetadata(journalId)
      const { firstWords } = view
      const named = agentTitle === undefined ? {} : { agentTitle }
      const begun = firstWords === undefined ? {} : { firstWords }
      const metadata = { ...before, ...named, ...begun, updatedAt: time.updated }
      await this.#store.setMetadata(journalId, metadata)
      view.setMetadata(parseMetadata(metadata))
    })
  }

  /** The caller holds the lock of the session. Refuses another model once there are messages. */
  async choose(record: JournalSession, choice: ModelChoice, hasTurns: boolean): Promise<void> {
    const view = await this.#options.views.get(record.id)
    const { providerID, modelID } = view.toSession()
    if (providerID === choice.providerID && modelID === choice.modelID) return
    if (hasTurns || (view.messageCount > 0 && (await hasTalked(this.#store, record.id)))) throw modelIsFixed()
    if (record.agent !== choice.providerID) await this.#changeAgent(record.id, choice.providerID)
    await this.change(record.id, { ...choice })
  }

  /** Nothing was sent to the previous agent. */
  async #changeAgent(journalId: string, agent: string): Promise<void> {
    const { conversations, views } = this.#options
    await conversations.close(journalId)
    await this.#store.updateSession(journalId, { agent, agentSessionId: '' })
    views.forget(journalId)
  }

  /** The journal keeps the messages. */
  async remove(record: JournalSession): Promise<void> {
    const { conversations, views } = this.#options
    const info = (await views.get(record.id)).toSession()
    await conversations.destroy(record.id)
    this.#publishRemoved(record.id, info)
  }

  #publishRemoved(journalId: string, info: Session): void {
    const { views, bus } = this.#options
    views.forget(journalId)
    if (this.#removed.has(journalId)) return
    this.#removed.add(journalId)
    for (const oldest of this.#removed) if (this.#removed.size > MAX_ANNOUNCED) this.#removed.delete(oldest)
    const deleted: OpenCodeEvent = { type: 'session.deleted', properties: { sessionID: info.id, info } }
    bus.publish([deleted], { directory: info.directory })
  }

  publish({ directory }: SessionView, events: readonly OpenCodeEvent[]): void {
    this.#options.bus.publish(events, { directory })
  }
}

// Runs tasks of the same name one after the other.

export class Locks {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(task, task)
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(name) === settled) this.#last.delete(name)
      })
    this.#last.set(name, settled)
    return await done
  }
}
