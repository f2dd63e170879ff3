// Decides which session a message belongs to and what it changes there, from the messages of one connection.
import { asFields, type JsonRpcId, kindOf } from '../envelope.ts'
import type { Envelope, SessionChange } from '../store/store.ts'
import { MAX_EARLY_UPDATES } from './limits.ts'

/** One conversation on this connection. */
export interface Binding {
  /** rethread's session id. */
  sessionId: string
  agentSessionId: string
  /** Prompts without an answer. */
  readonly openTurns: Set<string>
  /** In the open turn, the agent sent content or a request. */
  hasAnswered: boolean
  /** The open turn was cancelled. Further requests of the agent are answered with `cancelled`. */
  isCancelled: boolean
  /**
   * Set while the agent loads the session and repeats what the journal already has. Such updates go only to
   * this function. It returns false for an update that is new.
   */
  repeated: ((params: unknown) => boolean) | undefined
}

/** What the sender adds to a message. */
export interface Outgoing {
  sessionId?: string
  /** Sent to the agent instead of the journalled parameters: with a replay in front. */
  wireParams?: object
  /** Notes that are journalled together with the message, before it. */
  notes?: (id: JsonRpcId) => Envelope[]
  change?: SessionChange
  /** The change that the answer causes, in the transaction that journals it. */
  onAnswer?: (message: Record<string, unknown>) => SessionChange | undefined
}

export interface EntryTarget {
  /** The id of the connection, for a message that belongs to no conversation. */
  sessionId: string
  kind: string
  change?: SessionChange
}

interface SentRequest extends Outgoing {
  method: string
}

export type Routing =
  /** Journal it, publish it, and pass it to the waiting request. */
  | { type: 'pass'; target: EntryTarget }
  /** No request waits for it. Only journal it. */
  | { type: 'stray'; target: EntryTarget }
  /** The journal already has it. */
  | { type: 'repeated' }
  /** Its session is not known yet. */
  | { type: 'early'; agentSessionId: string }

export class Attribution {
  readonly #connectionId: string
  readonly #bindings = new Map<string, Binding>()
  readonly #sentRequests = new Map<string, SentRequest>()
  readonly #agentRequests = new Map<string, { method: string; sessionId: string }>()
  #early = 0

  constructor(connectionId: string) {
    this.#connectionId = connectionId
  }

  bind(sessionId: string, agentSessionId: string): Binding {
    const known = this.#bindings.get(agentSessionId)
    if (known?.sessionId === sessionId) return known
    this.unbind(sessionId)
    const made: Binding = {
      sessionId,
      agentSessionId,
      openTurns: new Set(),
      hasAnswered: false,
      isCancelled: false,
      repeated: undefined,
    }
    this.#bindings.set(agentSessionId, made)
    return made
  }

  unbind(sessionId: string): void {
    for (const [id, binding] of this.#bindings) if (binding.sessionId === sessionId) this.#bindings.delete(id)
  }

  bindingOf(sessionId: string): Binding | undefined {
    for (const binding of this.#bindings.values()) if (binding.sessionId === sessionId) return binding
    return undefined
  }

  get bindings(): Binding[] {
    return [...this.#bindings.values()]
  }

  /** The session of an open request of the agent. */
  sessionOfRequest(id: JsonRpcId): string {
    return this.#agentRequests.get(keyOf(id))?.sessionId ?? this.#connectionId
  }

  attributeSent(message: Record<string, unknown>, outgoing: Outgoing): EntryTarget {
    const { method, id } = message
    if (typeof method !== 'string') return this.#attributeOurAnswer(message)
    const sessionId = outgoing.sessionId ?? this.#sessionOfCancelled(message, this.#sentRequests) ?? this.#connectionId
    const target: EntryTarget = { sessionId, kind: kindOf(message, undefined) }
    if (id === undefined) return target
    this.#sentRequests.set(keyOf(id), { ...outgoing, sessionId, method })
    const turns = method === 'session/prompt' ? this.#openTurn(sessionId, keyOf(id)) : {}
    return { ...target, change: { ...outgoing.change, ...turns } }
  }

  /** The message could not be journalled, so it was not sent. */
  forgetSent(message: Record<string, unknown>): void {
    const key = keyOf(message['id'])
    const sent = this.#sentRequests.get(key)
    this.#sentRequests.delete(key)
    if (sent?.sessionId !== undefined) this.bindingOf(sent.sessionId)?.openTurns.delete(key)
  }

  attributeReceived(message: Record<string, unknown>): Routing {
    const { method, id } = message
    if (typeof method !== 'string') return this.#attributeAgentAnswer(message)
    const agentSessionId = asFields(message['params'])['sessionId']
    const binding = typeof agentSessionId === 'string' ? this.#bindings.get(agentSessionId) : undefined
    if (method === 'session/update') {
      if (binding?.repeated?.(message['params']) === true) return { type: 'repeated' }
      if (
        binding === undefined &&
        typeof agentSessionId === 'string' &&
        this.#isStartingSession() &&
        this.#early++ < MAX_EARLY_UPDATES
      )
        return { type: 'early', agentSessionId }
    }
    // A request counts too: the agent may already have acted.
    if (binding !== undefined && !isStatusUpdate(message['params'])) binding.hasAnswered = true
    const sessionId = binding?.sessionId ?? this.#sessionOfCancelled(message, this.#agentRequests) ?? this.#connectionId
    if (id !== undefined) this.#agentRequests.set(keyOf(id), { method, sessionId })
    return { type: 'pass', target: { sessionId, kind: kindOf(message, undefined) } }
  }

  #attributeOurAnswer(message: Record<string, unknown>): EntryTarget {
    const key = keyOf(message['id'])
    const request = this.#agentRequests.get(key)
    this.#agentRequests.delete(key)
    return { sessionId: request?.sessionId ?? this.#connectionId, kind: kindOf(message, request?.method) }
  }

  #attributeAgentAnswer(message: Record<string, unknown>): Routing {
    const key = keyOf(message['id'])
    const sent = this.#sentRequests.get(key)
    const target: EntryTarget = {
      sessionId: sent?.sessionId ?? this.#connectionId,
      kind: kindOf(message, sent?.method),
    }
    if (sent === undefined) return { type: 'stray', target }
    this.#sentRequests.delete(key)
    const change = sent.onAnswer?.(message)
    const turns = sent.method === 'session/prompt' ? this.#closeTurn(target.sessionId, key) : {}
    if (!this.#isStartingSession()) this.#early = 0
    return { type: 'pass', target: { ...target, change: { ...change, ...turns } } }
  }

  #openTurn(sessionId: string, key: string): SessionChange {
    const binding = this.bindingOf(sessionId)
    if (binding === undefined) return {}
    binding.repeated = undefined
    if (binding.openTurns.size === 0) Object.assign(binding, { hasAnswered: false, isCancelled: false })
    binding.openTurns.add(key)
    return { openTurns: binding.openTurns.size }
  }

  #closeTurn(sessionId: string, key: string): SessionChange {
    const binding = this.bindingOf(sessionId)
    if (binding === undefined) return {}
    binding.openTurns.delete(key)
    return { openTurns: binding.openTurns.size }
  }

  /** Whether an awaited answer will bring the id of a session. */
  #isStartingSession(): boolean {
    for (const { method } of this.#sentRequests.values())
      if (method === 'session/new' || method === 'session/fork') return true
    return false
  }

  #sessionOfCancelled(
    { method, params }: Record<string, unknown>,
    requests: ReadonlyMap<string, { sessionId?: string }>,
  ): string | undefined {
    return method === '$/cancel_request' ? requests.get(keyOf(asFields(params)['requestId']))?.sessionId : undefined
  }
}

function keyOf(id: unknown): string {
  return JSON.stringify(id ?? null)
}

/** Updates that the journal already has when the agent repeats them. */
const HISTORY_UPDATES = new Set<unknown>([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
])

/** Updates that an agent sends at any time, even in a turn without content. */
const STATUS_UPDATES = new Set<unknown>([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
])

/** `params` are those of session/update. An unknown update is neither history nor status. */
export function isHistoryUpdate(params: unknown): boolean {
  return HISTORY_UPDATES.has(asFields(asFields(params)['update'])['sessionUpdate'])
}

function isStatusUpdate(params: unknown): boolean {
  return STATUS_UPDATES.has(asFields(asFields(params)['update'])['sessionUpdate'])
}
