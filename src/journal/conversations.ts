// Live conversations: start, prompt, cancel, fork, continue. A call that needs the agent restores the
// conversation first.

import { asksForLogin } from './agent-errors.ts'
import {
  type BeginTools,
  createSession,
  type NewConversation,
  prepareSession,
  type StartedConversation,
  takeOverSession,
} from './begin.ts'
import type { ClientSide } from './client/index.ts'
import type { AgentConnection } from './connection/connection.ts'
import { Connections, type ConnectionsOptions } from './connection/connections.ts'
import type { PublishEvent } from './connection/journal-writer.ts'
import { BEGIN_MS, CANCEL_MS } from './connection/limits.ts'
import { withSessionId } from './connection/message-bytes.ts'
import {
  type Settled,
  type SettleOptions,
  settleAbandoned,
  settleConnections,
  settleSession,
} from './connection/settle.ts'
import { conversationEnded, heldByOtherProcess, notInJournal, promptCancelled, requireUsualId } from './errors.ts'
import { type ForkOptions, forkAgentSession, makeCopy } from './fork.ts'
import { describeFailure, type JournalledPrompt, JournalledPrompts } from './journalled-prompts.ts'
import { OtherProcesses } from './other-processes.ts'
import { canTryNextStrategy, type PromptAnswer, prompt } from './prompt.ts'
import { isQueued, type QueuedPrompt, queuePrompt, refuseQueued } from './queue.ts'
import { FailedStrategies, keepAgentSession } from './restore/failed-strategies.ts'
import { PreparingSteps } from './restore/preparing.ts'
import type { ReplayLimits } from './restore/replay/build-replay.ts'
import { type LiveConversation, type RestoreTools, restoreConversation } from './restore/restore.ts'
import type { JournalConnection, JournalEvent, JournalSession, JournalStore } from './store/store.ts'

export interface ConversationsOptions
  extends Omit<ConnectionsOptions, 'publish'>,
    Pick<RestoreTools, 'agentFiles' | 'beginMs'> {
  store: JournalStore
  clientSide: ClientSide
  replay?: ReplayLimits
  cancelMs?: number
}

export interface PromptOptions {
  signal?: AbortSignal
  /** The prompt is in the journal already. */
  taken?: JournalledPrompt | undefined
}

type CancellablePrompt = PromptOptions & { isCancelled(): boolean }

/** A slow listener returns a promise, and the agent waits. */
type Listener = (event: JournalEvent) => Promise<void> | undefined

export class Conversations {
  readonly store: JournalStore
  readonly preparing = new PreparingSteps()
  /** What they append goes to listeners too, once they are followed. */
  readonly others: OtherProcesses
  /** Conversations whose turn was cut off by the end of an earlier rethread, as found by `settle`. */
  interrupted: readonly string[] = []
  readonly #options: ConversationsOptions
  readonly #connections: Connections
  readonly #listeners = new Set<Listener>()
  readonly #live = new Map<string, LiveConversation>()
  readonly #restoring = new Map<string, Promise<LiveConversation>>()
  readonly #failedStrategies = new FailedStrategies()
  /** The number of cancels of each session. A waiting prompt compares it to see that it was cancelled. */
  readonly #cancels = new Map<string, number>()
  /** The turn that will prove the restore, by session. */
  readonly #unprovenTurns = new Map<string, Promise<void>>()
  readonly #taken: JournalledPrompts
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
    this.#taken = new JournalledPrompts(options.store, this.#publish)
    const { store, onBackgroundError: onError } = options
    const isWaiting = this.#taken.has.bind(this.#taken)
    this.others = new OtherProcesses({
      store,
      publish: this.#publish,
      isOwn: this.#connections.hasOpened.bind(this.#connections),
      settle: async ended => await settleConnections(this.#settling(), ended, isWaiting),
      onError,
    })
  }

  /**
   * Calls the listener with every event once it is on disk, in order for each session. A listener must not
   * throw.
   */
  on(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called at start: settles what an exited rethread left open. */
  async settle(): Promise<Settled> {
    const settled = await settleAbandoned(this.#settling())
    this.interrupted = settled.sessions
    return settled
  }

  #settling(): SettleOptions {
    return { store: this.store, isHeld: this.#connections.isHeld.bind(this.#connections), publish: this.#publish }
  }

  /** Creates the conversation in the journal only. The agent starts with the first prompt. */
  async prepare(conversation: NewConversation): Promise<JournalSession> {
    return await prepareSession(this.store, conversation)
  }

  async create(conversation: NewConversation): Promise<StartedConversation> {
    const live = await createSession(this.#beginning(), conversation)
    return await this.#started(live)
  }

  /**
   * Takes over a session that the agent has and the journal does not. What the agent repeats of it is
   * journalled. `method` is `session/load` or `session/resume`. A failure leaves nothing in the journal.
   */
  async takeOver(agent: string, agentSessionId: string, method: string, params: object): Promise<StartedConversation> {
    const live = await takeOverSession(this.#beginning(), { agent, agentSessionId, method, params })
    return await this.#started(live)
  }

  #beginning(): BeginTools {
    const { beginMs } = this.#options
    const connect = this.connect.bind(this)
    return { store: this.store, connect, ...(beginMs === undefined ? {} : { beginMs }) }
  }

  async #started(live: LiveConversation): Promise<StartedConversation> {
    const id = live.binding.sessionId
    this.#live.set(id, live)
    return { session: await this.get(id), answer: live.answer }
  }

  /** The connection to an agent, for requests that belong to no conversation. */
  async connect(agent: string, cwd: string): Promise<AgentConnection> {
    return await this.#connections.get(agent, cwd)
  }

  async get(id: string): Promise<JournalSession> {
    const session = await this.store.getSession(id)
    if (session === undefined || session.kind !== 'conversation') throw notInJournal(id)
    return session
  }

  /** The connection of another rethread that owns the conversation. `others` publishes its release. */
  async holderOf(id: string): Promise<JournalConnection | undefined> {
    const { lastConnectionId } = await this.get(id)
    const known = await this.store.getConnection(lastConnectionId)
    if (known === undefined || known.endedAt !== undefined || this.#connections.isOurs(known)) return undefined
    if (!this.#connections.isHeld(known)) return undefined
    this.others.publishRelease(known)
    return known
  }

  /** Throws `busy` where another rethread owns the conversation: two writers would lose messages. */
  async refuseHeld(id: string): Promise<void> {
    const holder = await this.holderOf(id)
    if (holder !== undefined) throw heldByOtherProcess(id, holder)
  }

  isLive(id: string): boolean {
    return this.#live.get(id)?.connection.isOpen === true
  }

  /** Restores the conversation in its agent if it is not live. Concurrent calls share one restore. */
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
    await this.#untilClosed(id)
    const session = await this.get(id)
    if (session.destroyedAt !== undefined) throw conversationEnded(id)
    requireUsualId(id)
    const { store, preparing } = this
    // A prompt that waits for this restore is not a turn that was cut off.
    const openTurns = this.#taken.has(id) ? 0 : session.openTurns
    const tools: RestoreTools = {
      ...this.#options,
      store,
      preparing,
      connections: this.#connections,
      publish: this.#publish,
    }
    const live = await restoreConversation(tools, { ...session, openTurns }, this.#failedStrategies.of(id))
      .catch(error => {
        throw asksForLogin(error, () => this.#options.agent(session.agent))
      })
      .finally(() => preparing.end(id))
    this.#live.set(id, live)
    return live
  }

  /** What an agent that has exited wrote last, and that it has, is journalled before anything else is. */
  async #untilClosed(id: string): Promise<void> {
    const live = this.#live.get(id)
    if (live?.connection.isOpen === false) await live.connection.closed
  }

  /** Journals a prompt to send later. Resolves with its key, which `prompt` takes in `_meta`. */
  async queue(id: string, queued: QueuedPrompt): Promise<string> {
    return await queuePrompt({ store: this.store, publish: this.#publish }, await this.get(id), queued)
  }

  /** Journals why a queued prompt is not sent. */
  async refuse(id: string, key: string, error: unknown): Promise<void> {
    const refused = { key, ...describeFailure(error) }
    await refuseQueued({ store: this.store, publish: this.#publish }, await this.get(id), refused)
  }

  /**
   * Journals a prompt before its agent runs. Undefined where the agent runs: sending journals the prompt.
   * `prompt` or `failPrompt` ends it.
   */
  async journalPrompt(id: string, params: object): Promise<JournalledPrompt | undefined> {
    if (this.isLive(id) || isQueued(params)) return undefined
    await this.#untilClosed(id)
    const session = await this.get(id)
    if (session.destroyedAt !== undefined) throw conversationEnded(id)
    await this.refuseHeld(id)
    if (!this.#taken.has(id)) await settleSession(this.#settling(), session)
    return await this.#taken.take(session, params)
  }

  /** Journals why the prompt did not reach its agent. */
  async failPrompt(id: string, taken: JournalledPrompt | undefined, error: unknown): Promise<void> {
    if (taken !== undefined) await this.#taken.fail(await this.get(id), taken, error)
  }

  /**
   * `params` are those of `session/prompt`, without the session id. Resolves when the turn has ended. Where
   * the agent does not run, the prompt is journalled before it is started, unless it was queued.
   */
  async prompt(id: string, params: object, options: PromptOptions = {}): Promise<PromptAnswer> {
    const cancels = this.#cancels.get(id)
    const isCancelled = () => this.#cancels.get(id) !== cancels
    const taken = options.taken ?? (await this.journalPrompt(id, params))
    try {
      const answer = await this.#promptInTurn(id, params, { ...options, taken, isCancelled })
      await this.failPrompt(id, taken, promptCancelled())
      return answer
    } catch (error) {
      const { agent } = await this.get(id)
      const explained = asksForLogin(error, () => this.#options.agent(agent))
      await this.failPrompt(id, taken, explained)
      throw explained
    }
  }

  async #promptInTurn(id: string, params: object, options: CancellablePrompt): Promise<PromptAnswer> {
    const { isProven } = await this.ensure(id)
    if (isProven) return await this.#promptWithFallback(id, params, options)
    // One turn at a time until the restore is proven. Two at once would both send the replay, or both drop
    // the strategy.
    const before = this.#unprovenTurns.get(id) ?? Promise.resolve()
    const turn = before.then(async () => await this.#promptWithFallback(id, params, options))
    const over = turn.then(
      () => undefined,
      () => undefined,
    )
    this.#unprovenTurns.set(id, over)
    void over.then(() => this.#unprovenTurns.get(id) === over && this.#unprovenTurns.delete(id))
    return await turn
  }

  async #promptWithFallback(id: string, params: object, options: CancellablePrompt): Promise<PromptAnswer> {
    // A replay ends before this event: a prompt that is sent a second time is not part of its own history.
    const before = await this.store.count(id)
    for (let isRetry = false; ; isRetry = true) {
      const live = await this.ensure(id)
      // Cancelled during the restore, or while waiting for an earlier turn: the prompt is not sent.
      if (options.isCancelled()) return { answer: { stopReason: 'cancelled' } }
      const { strategy, isProven } = live
      try {
        const turn = { ...this.#options, live, sessionId: id, params, isRetry, before, taken: options.taken }
        const answer = await prompt(turn, options)
        live.isProven = true
        this.#failedStrategies.clear(id)
        return { answer, ...(strategy === undefined || isProven ? {} : { restored: strategy }) }
      } catch (error) {
        if (canTryNextStrategy(live, error)) {
          this.#release(id, live)
          this.#failedStrategies.add(id, live)
          continue
        }
        const kept = this.#failedStrategies.takeKept(id, live)
        if (kept === undefined) throw error
        this.#release(id, live)
        await keepAgentSession(live.connection, id, kept)
        throw error
      }
    }
  }

  /** The next call restores the conversation again. */
  #release(id: string, { connection }: LiveConversation): void {
    connection.unbind(id)
    this.#live.delete(id)
  }

  /** Sends any other request about a session. */
  async request(id: string, method: string, params: object, options: { signal?: AbortSignal } = {}): Promise<unknown> {
    const { connection, binding } = await this.ensure(id)
    const named = withSessionId(params, binding.agentSessionId)
    return await connection.request(method, named, { sessionId: id, ...options })
  }

  async notify(id: string, method: string, params: object): Promise<void> {
    const { connection, binding } = await this.ensure(id)
    await connection.notify(method, withSessionId(params, binding.agentSessionId), { sessionId: id })
  }

  /**
   * Starts no agent. A waiting prompt is not sent, and the open turn is cancelled. An agent that does not end
   * it is ended.
   */
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

  /** Lets the agent fork where it can. Otherwise the copy starts with a replay. */
  async fork(id: string, options: ForkOptions = {}): Promise<JournalSession> {
    const parent = await this.get(id)
    requireUsualId(id)
    // An agent can only fork its current state. Restore it before anything is created.
    const live =
      options.upTo === undefined || options.upTo >= (await this.store.count(id)) ? await this.ensure(id) : undefined
    const { replay } = await this.get(id)
    const child = await makeCopy(this.store, this.#publish, parent, options)
    const timeoutMs = this.#options.beginMs ?? BEGIN_MS
    // An agent that has not received the whole conversation cannot pass it on.
    if (live?.connection.capabilities.has('fork') === true && replay === undefined) {
      const forked = await forkAgentSession(live, { parent, child: child.id, timeoutMs })
      if (forked !== undefined) this.#live.set(child.id, forked)
    }
    return await this.get(child.id)
  }

  /** Releases the conversation in the agent. The journal keeps it. */
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

  /** Removes the conversation from lists and prevents further prompts. The journal keeps the messages. */
  async destroy(id: string): Promise<void> {
    await this.refuseHeld(id)
    await this.cancel(id)
    await this.close(id)
    await this.store.destroySession(id)
  }

  /** Ends all agents and waits until their exits are journalled. The journal stays open. */
  async stop(): Promise<void> {
    await this.others.stop()
    await this.#connections.stop()
    await this.#options.clientSide.close()
  }
}
