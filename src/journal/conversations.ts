// Live conversations: begin one, talk, cancel, fork, go on with an old one. Whatever needs the agent brings the conversation back first.
import { randomUUID } from 'node:crypto'
import type { ClientSide } from './client/index.ts'
import type { AgentConnection } from './connection/connection.ts'
import { Connections, type ConnectionsOptions } from './connection/connections.ts'
import { noteEntry, type PublishEvent } from './connection/journal-writer.ts'
import { BEGIN_MS, CANCEL_MS } from './connection/limits.ts'
import { jsonOf, withSessionId } from './connection/message-bytes.ts'
import { type Settled, settleAbandoned } from './connection/settle.ts'
import { fields } from './envelope.ts'
import { conversationEnded, noSessionId, requireUsualId, sessionGone } from './errors.ts'
import { copyHistory, forkAgentSession } from './fork.ts'
import { canTryNextStrategy, prompt } from './prompt.ts'
import type { ReplayLimits } from './restore/replay/build-replay.ts'
import { type LiveConversation, type RestoreTools, restore } from './restore/restore.ts'
import { makeNote, type StrategyName } from './store/notes.ts'
import type { JournalConnection, JournalEvent, JournalSession, JournalStore, Metadata } from './store/store.ts'

export interface ConversationsOptions
  extends Omit<ConnectionsOptions, 'publish'>,
    Pick<RestoreTools, 'agentFiles' | 'beginMs'> {
  store: JournalStore
  clientSide: ClientSide
  replay?: ReplayLimits
  cancelMs?: number
}

export interface NewConversation {
  agent: string
  cwd: string
  /** Parameters of `session/new`; the folder and no servers, unless given. */
  init?: object
  id?: string
  metadata?: Metadata
}

export interface StartedConversation {
  session: JournalSession
  /** What the agent answered. */
  answer: unknown
}

export interface PromptAnswer {
  answer: unknown
  /** How the conversation came back for this prompt; absent where it was alive. */
  restored?: StrategyName
}

/** Who cannot take more returns a promise, and the agent waits. */
type Listener = (event: JournalEvent) => Promise<void> | undefined

/** Rungs that seemed to hold until the first turn, and the agent's own session as it was before. */
interface FailedStrategies {
  strategies: Set<StrategyName>
  agentSessionId: string
}

export class Conversations {
  readonly store: JournalStore
  readonly #options: ConversationsOptions
  readonly #connections: Connections
  readonly #listeners = new Set<Listener>()
  readonly #live = new Map<string, LiveConversation>()
  readonly #restoring = new Map<string, Promise<LiveConversation>>()
  readonly #failedStrategies = new Map<string, FailedStrategies>()
  /** How often each was cancelled: a prompt that still waits sees that it was, meanwhile. */
  readonly #cancels = new Map<string, number>()
  /** The first turns since they came back. */
  readonly #unprovenTurns = new Map<string, Promise<void>>()
  readonly #publish: PublishEvent = event => {
    const slow: Promise<void>[] = []
    for (const listener of this.#listeners) {
      const waiting = listener(event)
      if (waiting !== undefined) slow.push(waiting)
    }
    return slow.length === 0 ? undefined : Promise.all(slow).then(() => undefined)
  }

  constructor(options: ConversationsOptions) {
    this.store = options.store
    this.#options = options
    this.#connections = new Connections({ ...options, publish: this.#publish })
  }

  /** Every event of every session once it is on the disk, in the order of its session. A listener must not throw. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** At start: what an ended rethread left open. */
  async settle(): Promise<Settled> {
    const isHeld = this.#connections.isHeld.bind(this.#connections)
    return await settleAbandoned({ store: this.store, isHeld, publish: this.#publish })
  }

  /** In the journal only: the agent is asked with the first prompt. */
  async prepare({ agent, cwd, init, id = randomUUID(), metadata }: NewConversation): Promise<JournalSession> {
    const initJson = jsonOf({ cwd, mcpServers: [], ...init }).toString('utf8')
    return await this.store.createSession(
      { id, agent, agentSessionId: '', lastConnectionId: '', cwd, initJson },
      metadata,
    )
  }

  async create(conversation: NewConversation): Promise<StartedConversation> {
    const { agent, cwd, init } = conversation
    const connection = await this.#connections.get(agent, cwd)
    const params = init ?? { cwd, mcpServers: [] }
    const { id } = await this.prepare({ ...conversation, init: params })
    await this.store.claimSession(id, connection.id, () => false)
    try {
      const answer = await connection.request('session/new', params, {
        sessionId: id,
        timeoutMs: this.#options.beginMs ?? BEGIN_MS,
        onAnswer(message) {
          const agentSessionId = fields(message['result'])['sessionId']
          if (typeof agentSessionId !== 'string') return undefined
          connection.bind(id, agentSessionId)
          return { agentSessionId }
        },
      })
      const binding = connection.bindingOf(id)
      if (binding === undefined) throw noSessionId(connection.agent.title)
      this.#live.set(id, { connection, binding, answer, strategy: undefined, isProven: true })
      return { session: await this.get(id), answer }
    } catch (error) {
      // Nothing was said in it.
      await this.store.destroySession(id)
      throw error
    }
  }

  /**
   * A session that the agent has and the journal does not: what the agent repeats of it is journalled, for it is all there is. `method` is
   * `session/load` or `session/resume`.
   */
  async adopt(agent: string, agentSessionId: string, method: string, params: object): Promise<StartedConversation> {
    requireUsualId(agentSessionId)
    const cwd = String(fields(params)['cwd'] ?? '/')
    const connection = await this.#connections.get(agent, cwd)
    const { sessionId: _, ...init } = fields(params)
    const { id } = await this.prepare({ agent, cwd, init, id: agentSessionId })
    await this.store.claimSession(id, connection.id, () => false)
    const binding = connection.bind(id, agentSessionId)
    try {
      await this.store.updateSession(id, { agentSessionId })
      const answer = await connection.request(method, params, { sessionId: id, timeoutMs: BEGIN_MS })
      this.#live.set(id, { connection, binding, answer, strategy: undefined, isProven: true })
      return { session: await this.get(id), answer }
    } catch (error) {
      connection.unbind(id)
      await this.store.destroySession(id)
      throw error
    }
  }

  /** The process of an agent, for what belongs to no conversation. */
  async connect(agent: string, cwd: string): Promise<AgentConnection> {
    return await this.#connections.get(agent, cwd)
  }

  async get(id: string): Promise<JournalSession> {
    const session = await this.store.getSession(id)
    if (session === undefined || session.kind !== 'conversation') throw sessionGone(id)
    return session
  }

  /** The connection of another rethread that has it. */
  async holderOf(id: string): Promise<JournalConnection | undefined> {
    const { lastConnectionId } = await this.get(id)
    const known = await this.store.getConnection(lastConnectionId)
    if (known === undefined || known.endedAt !== undefined || this.#connections.isOurs(known)) return undefined
    return this.#connections.isHeld(known) ? known : undefined
  }

  isLive(id: string): boolean {
    return this.#live.get(id)?.connection.isOpen === true
  }

  /** Brought back to its agent, if it is not there. Two that ask at once share one restore. */
  async ensure(id: string): Promise<LiveConversation> {
    const live = this.#live.get(id)
    if (live?.connection.isOpen === true) return live
    const restoring = this.#restoring.get(id)
    if (restoring !== undefined) return await restoring
    const started = this.#restore(id).finally(() => this.#restoring.delete(id))
    this.#restoring.set(id, started)
    return await started
  }

  async #restore(id: string): Promise<LiveConversation> {
    const session = await this.get(id)
    if (session.destroyedAt !== undefined) throw conversationEnded(id)
    requireUsualId(id)
    const { agentFiles, beginMs } = this.#options
    const tools: RestoreTools = {
      store: this.store,
      connections: this.#connections,
      agentFiles,
      publish: this.#publish,
    }
    const limit = beginMs === undefined ? {} : { beginMs }
    const live = await restore({ ...tools, ...limit }, session, this.#failedStrategies.get(id)?.strategies ?? new Set())
    this.#live.set(id, live)
    return live
  }

  /** `params` are those of `session/prompt`; the session id in them is put in here. Resolves when the turn has ended. */
  async prompt(id: string, params: object, options: { signal?: AbortSignal } = {}): Promise<PromptAnswer> {
    const cancels = this.#cancels.get(id)
    const isCancelled = () => this.#cancels.get(id) !== cancels
    const { isProven } = await this.ensure(id)
    if (isProven) return await this.#promptWithFallback(id, params, { ...options, isCancelled })
    // Until a turn has worked there is one at a time: of two, both would tell the agent what was said before, or give up the rung.
    const before = this.#unprovenTurns.get(id) ?? Promise.resolve()
    const turn = before.then(async () => await this.#promptWithFallback(id, params, { ...options, isCancelled }))
    const over = turn.then(
      () => undefined,
      () => undefined,
    )
    this.#unprovenTurns.set(id, over)
    void over.then(() => this.#unprovenTurns.get(id) === over && this.#unprovenTurns.delete(id))
    return await turn
  }

  async #promptWithFallback(
    id: string,
    params: object,
    options: { signal?: AbortSignal; isCancelled(): boolean },
  ): Promise<PromptAnswer> {
    // What is told before it ends here: a prompt that is sent a second time is not part of its own history.
    const before = await this.store.count(id)
    for (let isRetry = false; ; isRetry = true) {
      const live = await this.ensure(id)
      // While it came back, or waited for the turn before it: then it is not said at all.
      if (options.isCancelled()) return { answer: { stopReason: 'cancelled' } }
      const { strategy, isProven } = live
      try {
        const answer = await prompt({ ...this.#options, live, sessionId: id, params, isRetry, before }, options)
        live.isProven = true
        this.#failedStrategies.delete(id)
        return { answer, ...(strategy === undefined || isProven ? {} : { restored: strategy }) }
      } catch (error) {
        if (canTryNextStrategy(live, error)) {
          this.#dropStrategy(id, live)
          continue
        }
        await this.#keepAgentSession(id, live)
        throw error
      }
    }
  }

  /** The rung did not hold: the next time one below is taken. */
  #dropStrategy(id: string, { connection, strategy, binding }: LiveConversation): void {
    connection.unbind(id)
    this.#live.delete(id)
    const { agentSessionId } = binding
    const failed = this.#failedStrategies.get(id) ?? { strategies: new Set(), agentSessionId }
    if (strategy !== undefined) failed.strategies.add(strategy)
    this.#failedStrategies.set(id, failed)
  }

  /** No way back worked, so it was not the way: the service is down, or a limit reached. What the agent had kept is not given up for a replay. */
  async #keepAgentSession(id: string, { connection, strategy, isProven, binding }: LiveConversation): Promise<void> {
    const failed = this.#failedStrategies.get(id)
    if (failed === undefined || strategy !== 'replay' || isProven || binding.hasAnswered) return
    connection.unbind(id)
    this.#live.delete(id)
    this.#failedStrategies.delete(id)
    const text = 'The agent refused every restore strategy. The conversation keeps its agent session.'
    const note = makeNote('_rethread/settled', connection.id, { reason: 'restore-failed', text })
    const change = { agentSessionId: failed.agentSessionId, replay: null, restoredBy: null }
    await connection.write([noteEntry(id, note, change)])
  }

  /** Any other request about a session. */
  async request(id: string, method: string, params: object, options: { signal?: AbortSignal } = {}): Promise<unknown> {
    const { connection, binding } = await this.ensure(id)
    const named = withSessionId(params, binding.agentSessionId)
    return await connection.request(method, named, { sessionId: id, ...options })
  }

  async notify(id: string, method: string, params: object): Promise<void> {
    const { connection, binding } = await this.ensure(id)
    await connection.notify(method, withSessionId(params, binding.agentSessionId), { sessionId: id })
  }

  /** Starts nothing. A prompt that waits is not sent, the turn that runs ends; an agent that does not end it is ended. */
  async cancel(id: string): Promise<void> {
    this.#cancels.set(id, (this.#cancels.get(id) ?? 0) + 1)
    const live = this.#live.get(id)
    if (live === undefined || !live.connection.isOpen) return
    const { connection, binding } = live
    binding.isCancelled = binding.openTurns.size > 0
    await connection.notify('session/cancel', { sessionId: binding.agentSessionId }, { sessionId: id })
    this.#options.clientSide.cancel(id)
    const turns = [...binding.openTurns]
    const late = setTimeout(() => {
      if (turns.some(turn => binding.openTurns.has(turn))) void connection.close()
    }, this.#options.cancelMs ?? CANCEL_MS)
    late.unref()
  }

  /** Through the agent where it can; else the copy begins with a replay of what was said. `upTo` is the last event the copy has. */
  async fork(id: string, options: { upTo?: number; id?: string; metadata?: Metadata } = {}): Promise<JournalSession> {
    const parent = await this.get(id)
    requireUsualId(id)
    // An agent forks what it has now: an older state it can only be told. It is asked for before anything is made.
    const live =
      options.upTo === undefined || options.upTo >= (await this.store.count(id)) ? await this.ensure(id) : undefined
    const { replay } = await this.get(id)
    const total = await this.store.count(id)
    const upTo = Math.min(options.upTo ?? total, total)
    const metadata = { ...(await this.store.getMetadata(id)), ...options.metadata, parent: id }
    const init = fields(JSON.parse(parent.initJson ?? '{}'))
    const named = { agent: parent.agent, cwd: parent.cwd, init, metadata }
    const child = await this.prepare(options.id === undefined ? named : { ...named, id: options.id })
    await copyHistory(this.store, { from: id, to: child.id, upTo, publish: this.#publish })
    const timeoutMs = this.#options.beginMs ?? BEGIN_MS
    // What it was not told itself it cannot hand on.
    if (live?.connection.capabilities.has('fork') === true && replay === undefined) {
      const forked = await forkAgentSession(live, { parent, child: child.id, timeoutMs })
      if (forked !== undefined) this.#live.set(child.id, forked)
    }
    return await this.get(child.id)
  }

  /** The agent lets go of it; the journal keeps it. */
  async close(id: string): Promise<void> {
    const live = this.#live.get(id)
    this.#live.delete(id)
    if (live === undefined || !live.connection.isOpen) return
    const { connection, binding } = live
    if (connection.capabilities.has('close'))
      await connection.request('session/close', { sessionId: binding.agentSessionId }, { sessionId: id })
    connection.unbind(id)
    await this.#options.clientSide.release(id)
  }

  /** Not listed any more, and not to be gone on with. What was said stays in the journal. */
  async destroy(id: string): Promise<void> {
    await this.get(id)
    await this.cancel(id)
    await this.close(id)
    await this.store.destroySession(id)
  }

  /** Ends all agents and waits until that is written down. The journal stays open. */
  async stop(): Promise<void> {
    await this.#connections.stop()
    await this.#options.clientSide.close()
  }
}
