// Live conversations for the page: start, prompt, cancel, answer, fork, and watch.
import { dirname } from 'node:path'
import type { Context } from '../../../catalog/context.ts'
import { forkTitle } from '../../../journal/as-agent/facts.ts'
import { JOURNAL_AGENT } from '../../../journal/as-agent/index.ts'
import { conversationEnded, notInJournal } from '../../../journal/errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { BegunTalk, ForkPlace, LiveMessage, NewTalk, TalkAnswer, TalkChoices, TalkState } from '../../api.ts'
import { gateError } from '../../gate/texts.ts'
import { MAX_UNLISTED, MAX_WATCHED } from '../../limits.ts'
import { keyOfSession, type SessionCatalog } from '../../sessions/index.ts'
import type { ConversationService, OpenConversations } from '../index.ts'
import { listAgents, readFolder, recentFolders } from './new-conversation.ts'
import { type Followed, Registry } from './registry.ts'
import { endOfTurn } from './tail.ts'
import type { WatchingClient } from './watchers.ts'

export interface LiveOptions {
  context: Context
  conversations: ConversationService
  sessions: Pick<SessionCatalog, 'all' | 'get' | 'scanStore'>
}

/** Every `name` is the id of a conversation or its key in the catalog. */
export class LiveConversations {
  readonly #context: Context
  readonly #service: ConversationService
  readonly #sessions: LiveOptions['sessions']
  readonly #registry: Registry
  /** The names that each client watches. */
  readonly #wanted = new WeakMap<WatchingClient, Set<string>>()

  constructor({ context, conversations, sessions }: LiveOptions) {
    this.#context = context
    this.#service = conversations
    this.#sessions = sessions
    this.#registry = new Registry({
      journal: context.journal,
      keyOf: id => this.#keyOf(id),
      isListed: key => sessions.get(key) !== undefined,
      onTurn: id => void this.#list(id),
    })
  }

  async choices(): Promise<TalkChoices> {
    const { agents } = await this.#open()
    return { agents: listAgents(agents), folders: recentFolders(this.#sessions, this.#context.environment.home) }
  }

  async begin({ agent, folder, title }: NewTalk): Promise<BegunTalk> {
    const cwd = readFolder(folder, this.#context.environment.home)
    const { conversations } = await this.#open()
    const metadata = title === undefined || title.trim() === '' ? {} : { metadata: { title: title.trim() } }
    const { session } = await conversations.create({ agent, cwd, ...metadata })
    return this.#begun(session.id)
  }

  async state(name: string): Promise<TalkState & { messages: LiveMessage[] }> {
    const { opened, followed } = await this.#follow(name)
    await this.#registry.checkHolder(opened, followed.session)
    followed.watchers.note({ messages: [], isOther: true })
    const state = { ...followed.state(), messages: followed.messages() }
    this.#registry.forget(state.id)
    return state
  }

  /** Resolves when the prompt is accepted. Watching clients get the answer. */
  async prompt(name: string, text: string): Promise<void> {
    const { opened, followed } = await this.#follow(name)
    const { session, watchers } = followed
    if ((await opened.conversations.get(session.id)).destroyedAt !== undefined) throw conversationEnded(session.id)
    if (session.isBusy) throw stillAnswering()
    session.promptTaken(text)
    watchers.note({ messages: [], isOther: true })
    void this.#run(opened, followed, text)
  }

  async cancel(name: string): Promise<void> {
    const { conversations } = await this.#open()
    await conversations.cancel(await this.#idOf(name))
  }

  async answer(name: string, question: string, answer: TalkAnswer): Promise<void> {
    const { clientSide } = await this.#open()
    const id = await this.#idOf(name)
    // The question must belong to this conversation.
    if (!clientSide.waiting(id).some(({ key }) => key === question)) throw notAsked()
    clientSide.answer(question, answer)
  }

  async fork(name: string, { upTo, before }: ForkPlace): Promise<BegunTalk> {
    const { conversations, store } = await this.#open()
    const id = await this.#idOf(name)
    const last = upTo === undefined ? undefined : await endOfTurn(store, id, seqOf(upTo))
    const end = before === undefined ? last : seqOf(before) - 1
    // The copy would have the same explicit title, so a suffix is
    // added. Derived titles get theirs when derived.
    const { title } = (await store.getMetadata(id)) ?? {}
    const metadata = typeof title === 'string' ? { metadata: { title: forkTitle(title) } } : {}
    const copy = await conversations.fork(id, { ...(end === undefined ? {} : { upTo: end }), ...metadata })
    await this.#list(copy.id)
    return this.#begun(copy.id)
  }

  async destroy(name: string): Promise<void> {
    const { conversations } = await this.#open()
    const id = await this.#idOf(name)
    await conversations.destroy(id)
    await this.#list(id)
  }

  /** Sends the current state, then every change. */
  async watch(name: string, client: WatchingClient, requestId: string): Promise<void> {
    try {
      const wanted = this.#wanted.get(client) ?? new Set()
      this.#wanted.set(client, wanted)
      if (wanted.size >= MAX_WATCHED && !wanted.has(name)) throw tooMany()
      wanted.add(name)
      const { followed } = await this.#follow(name)
      // The client may have left or stopped watching in the meantime.
      if (client.isOpen && wanted.has(name)) followed.watchers.add(client)
      else this.#registry.forget(followed.session.id)
    } catch (error) {
      this.#wanted.get(client)?.delete(name)
      client.send(gateError(error, requestId))
    }
  }

  unwatch(name: string, client: WatchingClient): void {
    this.#wanted.get(client)?.delete(name)
    for (const id of [...this.#registry.ids()]) {
      if (id !== name && this.#keyOf(id) !== name) continue
      this.#registry.get(id)?.watchers.delete(client)
      this.#registry.forget(id)
    }
  }

  leave(client: WatchingClient): void {
    this.#registry.leave(client)
  }

  stop(): void {
    this.#registry.stop()
  }

  async #run(opened: OpenConversations, followed: Followed, text: string): Promise<void> {
    const { session, watchers } = followed
    try {
      await opened.conversations.prompt(session.id, { prompt: [{ type: 'text', text }] })
    } catch (error) {
      session.promptFailed(error, text)
      if (error instanceof RethreadError && error.code === 'busy') await this.#registry.checkHolder(opened, session)
    }
    session.promptEnded()
    watchers.note({ messages: [], isOther: true })
    await this.#list(session.id)
    this.#registry.forget(session.id)
  }

  /** Updates the catalog. If the scan fails, the list reports it. */
  async #list(id: string): Promise<void> {
    await this.#sessions.scanStore(JOURNAL_AGENT, dirname(this.#context.journal)).catch(() => undefined)
    this.#registry.get(id)?.watchers.note({ messages: [], isOther: true })
  }

  async #open(): Promise<OpenConversations> {
    const opened = await this.#service.open()
    this.#registry.hear(opened)
    return opened
  }

  async #follow(name: string): Promise<{ opened: OpenConversations; followed: Followed }> {
    const opened = await this.#open()
    return { opened, followed: await this.#registry.follow(opened, await this.#idOf(name)) }
  }

  async #idOf(name: string): Promise<string> {
    const served = this.#sessions.get(name)?.session
    if (served?.agent === JOURNAL_AGENT) return served.sessionId
    const { store } = await this.#open()
    if ((await store.getSession(name)) !== undefined) return name
    // The key of a conversation without messages, which the catalog does not list.
    const { sessions } = await store.listSessions({ limit: MAX_UNLISTED })
    const found = sessions.find(({ id }) => this.#keyOf(id) === name)
    if (found === undefined) throw notInJournal(name)
    return found.id
  }

  #begun(id: string): BegunTalk {
    const key = this.#keyOf(id)
    return { id, key, isListed: this.#sessions.get(key) !== undefined }
  }

  #keyOf(id: string): string {
    return keyOfSession({ agent: JOURNAL_AGENT, sessionId: id, filePath: this.#context.journal })
  }
}

/** The id of a message contains the number of its first event. */
function seqOf(message: string): number {
  const [, seq] = /^[mn](\d+)(?:-\d+)?$/.exec(message) ?? []
  if (seq !== undefined) return Number(seq)
  throw new RethreadError({
    code: 'usage',
    text: `${message} is not a message of this conversation.`,
    hint: 'Reload the conversation.',
  })
}

function stillAnswering(): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: 'The agent is still answering.',
    hint: 'Wait until it has finished, or stop it.',
  })
}

function notAsked(): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: 'This question is no longer open: it was answered or cancelled, or its agent has ended.',
    hint: 'Reload the conversation to see which questions are open.',
  })
}

function tooMany(): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `One page may watch at most ${MAX_WATCHED} conversations at once.`,
    hint: 'Close one of them.',
  })
}
