// The conversations that are followed at the moment, each by one reducer, while a client watches it or a turn
// runs.
import { basename } from 'node:path'
import { heldByOtherProcess } from '../../../journal/errors.ts'
import type { JournalEvent } from '../../../journal/store/store.ts'
import type { LiveMessage, TalkState } from '../../api.ts'
import type { OpenConversations } from '../index.ts'
import { LiveSession } from './session.ts'
import { isPrompt, readJournalTail } from './tail.ts'
import { Watchers, type WatchingClient } from './watchers.ts'

export interface Followed {
  session: LiveSession
  watchers: Watchers
  state(): TalkState
  messages(): LiveMessage[]
}

export interface RegistryOptions {
  journal: string
  keyOf(id: string): string
  isListed(key: string): boolean
  /** A turn started or ended, so the catalog has changed. */
  onTurn(id: string): void
}

export class Registry {
  readonly #options: RegistryOptions
  readonly #followed = new Map<string, Followed>()
  readonly #coming = new Map<string, { followed: Promise<Followed>; events: JournalEvent[] }>()
  #opened: OpenConversations | undefined
  #stopHearing: (() => void) | undefined

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  hear(opened: OpenConversations): void {
    if (this.#opened === opened) return
    this.#opened = opened
    const stopEvents = opened.conversations.on(event => {
      this.#take(event)
      return undefined
    })
    const stopSteps = opened.conversations.preparing.on(id =>
      this.#followed.get(id)?.watchers.note({ messages: [], isOther: true }),
    )
    const stopOthers = opened.conversations.others.on(({ isReleased }) => {
      if (isReleased) for (const followed of this.#followed.values()) this.#checkHolderLater(opened, followed)
      return undefined
    })
    this.#stopHearing = () => {
      stopEvents()
      stopSteps()
      stopOthers()
    }
  }

  get(id: string): Followed | undefined {
    return this.#followed.get(id)
  }

  ids(): Iterable<string> {
    return this.#followed.keys()
  }

  /** Concurrent calls share one reducer. */
  async follow(opened: OpenConversations, id: string): Promise<Followed> {
    const known = this.#followed.get(id)
    if (known !== undefined) return known
    const coming = this.#coming.get(id)
    if (coming !== undefined) return await coming.followed
    const events: JournalEvent[] = []
    const followed = this.#begin(opened, id, events).finally(() => this.#coming.delete(id))
    this.#coming.set(id, { followed, events })
    return await followed
  }

  /** Stops following if no client watches and no turn runs. */
  forget(id: string): void {
    const followed = this.#followed.get(id)
    if (followed === undefined || followed.watchers.size > 0 || followed.session.isBusy) return
    followed.watchers.stop()
    this.#followed.delete(id)
  }

  leave(client: WatchingClient): void {
    for (const [id, { watchers }] of this.#followed) {
      watchers.delete(client)
      this.forget(id)
    }
  }

  stop(): void {
    this.#stopHearing?.()
    for (const { watchers } of this.#followed.values()) watchers.stop()
    this.#followed.clear()
  }

  async #begin(opened: OpenConversations, id: string, events: JournalEvent[]): Promise<Followed> {
    const { conversations, store } = opened
    const session = new LiveSession(await conversations.get(id), this.#options.journal)
    const metadata = await store.getMetadata(id)
    const title = metadata?.['title']
    if (typeof title === 'string' && title.trim() !== '') session.title = title
    session.begin(await readJournalTail(store, id))
    await this.checkHolder(opened, session)
    // Events that arrived while the tail was read.
    for (const event of events) session.take(event)
    const followed = this.#make(opened, session)
    this.#followed.set(id, followed)
    return followed
  }

  /** Checks whether another rethread process holds the conversation. */
  async checkHolder({ conversations }: OpenConversations, session: LiveSession): Promise<void> {
    const holder = await conversations.holderOf(session.id)
    const refusal = holder === undefined ? undefined : heldByOtherProcess(session.id, holder)
    session.heldElsewhere =
      refusal === undefined ? undefined : { code: refusal.code, text: refusal.message, hint: refusal.hint }
  }

  #checkHolderLater(opened: OpenConversations, { session, watchers }: Followed): void {
    void this.checkHolder(opened, session).then(
      () => watchers.note({ messages: [], isOther: true }),
      // The journal cannot be read. Every use of it reports that.
      () => undefined,
    )
  }

  #make({ agents, conversations }: OpenConversations, session: LiveSession): Followed {
    const { id } = session
    const key = this.#options.keyOf(id)
    const titles = new Map(agents.list().map(({ name, title }) => [name, title]))
    const state = (): TalkState => {
      const known = session.state({
        key,
        isListed: this.#options.isListed(key),
        agentTitle: '',
        isAlive: conversations.isLive(id),
        preparing: conversations.preparing.get(id) ?? null,
      })
      return { ...known, agentTitle: titles.get(known.agent) ?? basename(known.agent) }
    }
    const messages = (): LiveMessage[] =>
      session.messages.ids.map(one => session.messages.get(one)).filter(message => message !== undefined)
    const watched = { state, message: (one: string) => session.messages.get(one), allIds: () => session.messages.ids }
    return { session, watchers: new Watchers(watched), state, messages }
  }

  #take(event: JournalEvent): void {
    this.#coming.get(event.sessionId)?.events.push(event)
    const followed = this.#followed.get(event.sessionId)
    if (followed === undefined) return
    const { session, watchers } = followed
    const wasBusy = session.isBusy
    const changed = session.take(event)
    watchers.note(changed)
    // A turn of another process may be its last one here, or the first.
    const opened = this.#opened
    if (changed.isOther && opened !== undefined && !opened.conversations.isLive(event.sessionId))
      this.#checkHolderLater(opened, followed)
    if (changed.isOther && (wasBusy !== session.isBusy || isPrompt(event))) this.#options.onTurn(event.sessionId)
  }
}
