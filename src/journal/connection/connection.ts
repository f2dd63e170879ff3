// A live connection to one agent: its process, the protocol, and the journal between them. Every message is
// on disk before it is passed on, in both directions.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  type AnyMessage,
  type ClientConnection,
  client,
  type InitializeRequest,
  RequestError,
} from '@agentclientprotocol/sdk'
import { wellFormedBytes } from '../../bytes/well-formed.ts'
import { systemCode } from '../../disk/files/system-errors.ts'
import type { ProcessIdentity } from '../../disk/processes/process-identity.ts'
import { RethreadError } from '../../model/errors.ts'
import type { ClientSide } from '../client/index.ts'
import { questionKey } from '../conversation/questions.ts'
import { asFields, type JsonRpcId } from '../envelope.ts'
import { makeNote } from '../store/notes.ts'
import type { JournalStore } from '../store/store.ts'
import { type AgentCommand, type AgentExit, type AgentProcess, startAgent } from './agent-process.ts'
import { Attribution, type Binding, type Outgoing } from './attribution.ts'
import { agentEnded, noAnswer } from './errors.ts'
import { type JournalEntry, JournalWriter, noteEntry, type PublishEvent } from './journal-writer.ts'
import { INITIALIZE_MS } from './limits.ts'
import { encodeMessage } from './message-bytes.ts'
import { Receiver } from './receiver.ts'

export interface ConnectionOptions {
  agent: AgentCommand
  store: JournalStore
  owner: ProcessIdentity
  cwd: string
  clientSide: ClientSide
  /** The request of the editor, or rethread's own. */
  initialize: InitializeRequest
  publish: PublishEvent
  /** Reports an error that no caller waits for. */
  onBackgroundError(error: unknown): void
  initializeMs?: number
  /** Ends the agent if it has not answered `initialize` yet. */
  signal?: AbortSignal
  /** The environment of the process. Default: this process's environment. */
  env?: NodeJS.ProcessEnv
}

export interface RequestOptions extends Outgoing {
  signal?: AbortSignal
  /** How long the agent may take to answer. */
  timeoutMs?: number
}

export class AgentConnection {
  readonly id: string
  readonly agent: AgentCommand
  /** The answer to `initialize`. */
  capabilities = new Capabilities({})
  /** Resolves when the exit of the agent is in the journal. */
  readonly closed: Promise<AgentExit>
  readonly #options: ConnectionOptions
  readonly #process: AgentProcess
  readonly #attribution: Attribution
  readonly #log: JournalWriter
  readonly #peer: ClientConnection
  readonly #receiver: Receiver
  readonly #outgoing = new WeakMap<object, Outgoing>()
  readonly #failures = new Map<string, unknown>()
  #incoming: ReadableStreamDefaultController<AnyMessage> | undefined
  #writing: Promise<void> = Promise.resolve()
  #exit: AgentExit | undefined
  #broken: unknown

  /** Starts the agent and waits for its answer to `initialize`. */
  static async open(options: ConnectionOptions): Promise<AgentConnection> {
    const { agent, store, owner, cwd } = options
    const id = randomUUID()
    await store.beginConnection({ id, agent: agent.name, beganAt: Date.now(), owner }, cwd)
    const env = options.env === undefined ? {} : { env: options.env }
    const started = await startAgent(agent, { connectionId: id, cwd, ...env }).catch(async error => {
      await store.endConnection(id)
      throw error
    })
    await store.setProcess(id, started.identity)
    const connection = new AgentConnection(id, options, started)
    const giveUp = (): void => void started.end()
    options.signal?.addEventListener('abort', giveUp, { once: true })
    if (options.signal?.aborted === true) giveUp()
    try {
      const timeoutMs = options.initializeMs ?? INITIALIZE_MS
      const answer = await connection.request('initialize', options.initialize, { timeoutMs })
      connection.capabilities = new Capabilities(answer)
      return connection
    } catch (error) {
      await connection.close()
      throw error
    } finally {
      options.signal?.removeEventListener('abort', giveUp)
    }
  }

  private constructor(id: string, options: ConnectionOptions, started: AgentProcess) {
    this.id = id
    this.agent = options.agent
    this.#options = options
    this.#process = started
    this.#attribution = new Attribution(id)
    this.#log = new JournalWriter(options.store, id, options.publish)
    this.#peer = this.#connectPeer()
    this.#receiver = new Receiver({
      connectionId: id,
      attribution: this.#attribution,
      log: this.#log,
      pass: message => this.#deliver(message),
    })
    this.closed = this.#receive()
  }

  get isOpen(): boolean {
    return !this.#process.hasExited && this.#exit === undefined && this.#broken === undefined
  }

  get bindings(): Binding[] {
    return this.#attribution.bindings
  }

  bind(sessionId: string, agentSessionId: string): Binding {
    return this.#attribution.bind(sessionId, agentSessionId)
  }

  unbind(sessionId: string): void {
    this.#attribution.unbind(sessionId)
  }

  bindingOf(sessionId: string): Binding | undefined {
    return this.#attribution.bindingOf(sessionId)
  }

  /** `params` must be a new object for each call. */
  async request(method: string, params: object, options: RequestOptions = {}): Promise<unknown> {
    const { signal, timeoutMs, ...outgoing } = options
    if (!this.isOpen) throw await this.#endError(method)
    const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
    this.#outgoing.set(params, untilDeadline(outgoing, late))
    const signals = [signal, late].filter(given => given !== undefined)
    const cancelling = signals.length === 0 ? {} : { cancellationSignal: AbortSignal.any(signals) }
    try {
      // Only a deadline ends the wait. A caller that cancels still gets the outcome.
      return await Promise.race([this.#peer.agent.request(method, params, cancelling), afterDeadline(late)])
    } catch (error) {
      if (late?.aborted === true) throw noAnswer(this.agent, method, timeoutMs ?? 0, this.#receiver.garbage)
      const failure = this.#failureOf(error)
      if (failure !== undefined) throw failure
      // Its input is closed, so it is ending. Its exit and its last output say why.
      if (PIPE_ERRORS.has(systemCode(error))) await this.close()
      if (!this.isOpen && !(error instanceof RequestError)) throw await this.#endError(method)
      throw error
    }
  }

  async notify(method: string, params: object, outgoing: Outgoing = {}): Promise<void> {
    if (!this.isOpen) throw await this.#endError()
    this.#outgoing.set(params, outgoing)
    await this.#send({ jsonrpc: '2.0', method, params })
  }

  /** Writes notes of rethread about a session. */
  async write(entries: readonly JournalEntry[]): Promise<void> {
    await this.#log.write(entries)
  }

  /** Ends the process and waits until the exit is in the journal. */
  async close(): Promise<AgentExit> {
    await this.#process.end()
    return await this.closed
  }

  #connectPeer(): ClientConnection {
    const readable = new ReadableStream<AnyMessage>({
      start: controller => {
        this.#incoming = controller
      },
    })
    const writable = new WritableStream<AnyMessage>({ write: async message => await this.#sendForPeer(message) })
    const { clientSide } = this.#options
    return client({ name: 'rethread' })
      .onRequest('*', async ({ method, params, signal, agent }) => {
        const id = agent.requestId ?? null
        const sessionId = this.#attribution.sessionOfRequest(id)
        const handled = clientSide.handle({ sessionId, key: questionKey(this.id, id), method, params, signal })
        if (this.bindingOf(sessionId)?.isCancelled === true) clientSide.cancel(sessionId)
        return await handled
      })
      .onNotification('*', () => undefined)
      .connect({ readable, writable })
  }

  /**
   * A request that cannot be journalled fails alone. Without an answer the agent would wait forever, so then
   * the connection ends.
   */
  async #sendForPeer(message: AnyMessage): Promise<void> {
    try {
      await this.#send({ ...message })
    } catch (error) {
      const id: unknown = Reflect.get(message, 'id')
      if (!('method' in message) || id === undefined) {
        this.#break(error)
        return
      }
      this.#attribution.forgetSent({ ...message })
      this.#failures.set(JSON.stringify(id), error)
      const text = error instanceof Error ? error.message : String(error)
      this.#deliver({ jsonrpc: '2.0', id, error: { code: -32603, message: text, data: { rethread: id } } })
    }
  }

  /**
   * Journals, publishes, then writes to the agent. One message at a time, so that the agent reads them in
   * journal order.
   */
  #send(message: Record<string, unknown>): Promise<void> {
    const sent = this.#writing.then(async () => {
      if (!this.isOpen) throw await this.#endError()
      const params = message['params']
      const outgoing = (typeof params === 'object' && params !== null ? this.#outgoing.get(params) : undefined) ?? {}
      const { sessionId, kind, change } = this.#attribution.attributeSent(message, outgoing)
      const encoded = encodeMessage(message)
      const payload = wellFormedBytes(encoded)
      // The journal, its listeners and the agent get the same message.
      const envelope: unknown = payload === encoded ? message : JSON.parse(payload.toString('utf8'))
      const notes = outgoing.notes?.(message['id'] as JsonRpcId) ?? []
      const entry: JournalEntry = { sessionId, kind, sender: 'client', payload, envelope }
      await this.#log.write([
        ...notes.map(note => noteEntry(sessionId, note)),
        change === undefined ? entry : { ...entry, change },
      ])
      const { wireParams } = outgoing
      const line = wireParams === undefined ? payload : encodeMessage({ ...message, params: wireParams })
      await this.#writeLine(wellFormedBytes(line))
    })
    this.#writing = sent.catch(() => undefined)
    return sent
  }

  async #writeLine(line: Buffer): Promise<void> {
    const { input, exited } = this.#process
    if (!input.writable || input.write(Buffer.concat([line, Buffer.from('\n')]))) return
    // The exit of the agent says why it cannot be written.
    await Promise.race([once(input, 'drain').catch(() => exited), exited])
  }

  /** Runs until the agent has exited and that is journalled. Never rejects. */
  async #receive(): Promise<AgentExit> {
    try {
      await this.#receiver.run(this.#process.output)
    } catch (error) {
      this.#break(error)
    }
    const exit = await this.#process.exited
    this.#exit = exit
    await this.#settle(exit)
    this.#closePeer()
    return exit
  }

  /**
   * Journals that open turns ended with the agent. If that fails, the next process that opens the journal
   * settles them.
   */
  async #settle(exit: AgentExit): Promise<void> {
    const { store, clientSide, onBackgroundError } = this.#options
    try {
      await this.#log.write(this.bindings.flatMap(binding => this.#endEntries(binding, exit)))
      await this.#log.write([noteEntry(this.id, makeNote('_rethread/agent_exited', this.id, exit))])
      await store.endConnection(this.id)
    } catch (error) {
      onBackgroundError(error)
    }
    for (const { sessionId } of this.bindings) await clientSide.release(sessionId)
  }

  #endEntries({ sessionId, openTurns }: Binding, exit: AgentExit): JournalEntry[] {
    if (openTurns.size === 0) return []
    const text = 'Its current work was cut off.'
    return [
      noteEntry(sessionId, makeNote('_rethread/agent_exited', this.id, exit)),
      noteEntry(sessionId, makeNote('_rethread/settled', this.id, { reason: 'agent-ended', text }), { openTurns: 0 }),
    ]
  }

  #deliver(message: Record<string, unknown>): void {
    // The shape was checked where it was read. The receiver checks the content.
    if (this.#exit === undefined) this.#incoming?.enqueue(message as AnyMessage)
  }

  #break(error: unknown): void {
    this.#broken ??= error
    void this.#process.end()
  }

  #closePeer(): void {
    this.#incoming?.close()
    this.#peer.close()
  }

  /** The original error behind an error answer that rethread made itself. */
  #failureOf(error: unknown): unknown {
    if (!(error instanceof RequestError)) return undefined
    const key = JSON.stringify(asFields(error.data)['rethread'])
    const failure = this.#failures.get(key)
    this.#failures.delete(key)
    return failure
  }

  async #endError(method?: string): Promise<RethreadError> {
    if (this.#broken instanceof RethreadError) return this.#broken
    const exit = this.#exit ?? (this.#process.hasExited ? await this.#process.exited : UNKNOWN_EXIT)
    return agentEnded(this.agent, exit, { method, garbage: this.#receiver.garbage })
  }
}

const UNKNOWN_EXIT: AgentExit = { code: null, signal: null, stderr: '' }
const PIPE_ERRORS: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])

/** The caller may have continued without it: a late answer is journalled and changes nothing. */
function untilDeadline(outgoing: Outgoing, late: AbortSignal | undefined): Outgoing {
  const { onAnswer } = outgoing
  if (late === undefined || onAnswer === undefined) return outgoing
  return { ...outgoing, onAnswer: message => (late.aborted ? undefined : onAnswer(message)) }
}

/** Never resolves; rejects at the deadline. */
function afterDeadline(late: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => late?.addEventListener('abort', () => reject(late.reason), { once: true }))
}

// The capabilities that an agent declares. `{}` and `true` mean yes.

export type SessionCapability = 'load' | 'resume' | 'list' | 'fork' | 'close' | 'delete'

class Capabilities {
  /** The whole answer to `initialize`. */
  readonly answer: Record<string, unknown>

  constructor(answer: unknown) {
    this.answer = asFields(answer)
  }

  /** What a prompt may hold beside text and links. */
  get prompt(): Record<string, unknown> {
    return asFields(asFields(this.answer['agentCapabilities'])['promptCapabilities'])
  }

  has(capability: SessionCapability): boolean {
    const agent = asFields(this.answer['agentCapabilities'])
    if (capability === 'load') return agent['loadSession'] === true
    const value = asFields(agent['sessionCapabilities'])[capability]
    return value !== undefined && value !== null && value !== false
  }
}
