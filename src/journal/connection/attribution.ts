// Which session an envelope belongs to, and what it changes there. Only what is said on one connection decides.
import { fields, type JsonRpcId, kindOf } from '../envelope.ts'
import type { Envelope, SessionChange } from '../store/store.ts'
import { MAX_EARLY_UPDATES } from './limits.ts'

/** One conversation on this connection. */
export interface Binding {
  /** Ours. */
  sessionId: string
  agentSessionId: string
  /** Prompts that have not been answered. */
  readonly openTurns: Set<string>
  /** Something was said, or asked of us, in the turn that is open. */
  hasAnswered: boolean
  /** The turn that is open was cancelled: whatever the agent still asks in it is answered so. */
  isCancelled: boolean
  /** While the agent loads the session it repeats what is in the journal already: that is told here, and nowhere else. False: it is news. */
  repeated: ((params: unknown) => boolean) | undefined
}

/** What whoever sends a message says of it. */
export interface Outgoing {
  sessionId?: string
  /** What is written to the agent in place of what is journalled: with a replay in front. */
  wireParams?: object
  /** Journalled along with it, in front of it. */
  notes?: (id: JsonRpcId) => Envelope[]
  change?: SessionChange
  /** What the answer changes, in the transaction that journals it. */
  onAnswer?: (message: Record<string, unknown>) => SessionChange | undefined
}

export interface Place {
  /** The id of the connection, for what belongs to no conversation. */
  sessionId: string
  kind: string
  change?: SessionChange
}

interface Asked extends Outgoing {
  method: string
}

export type Verdict =
  /** Journalled, told, and given to whoever waits for it. */
  | { type: 'pass'; place: Place }
  /** Nobody waits for it; journalled as what it is. */
  | { type: 'stray'; place: Place }
  /** In the journal already. */
  | { type: 'repeated' }
  /** For a session that is not known yet. */
  | { type: 'early'; agentSessionId: string }

export class Attribution {
  readonly #connectionId: string
  readonly #bindings = new Map<string, Binding>()
  readonly #asked = new Map<string, Asked>()
  readonly #asking = new Map<string, { method: string; sessionId: string }>()
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

  /** The session of a request that the agent has made and that is not answered. */
  askedIn(id: JsonRpcId): string {
    return this.#asking.get(keyOf(id))?.sessionId ?? this.#connectionId
  }

  placeSent(message: Record<string, unknown>, outgoing: Outgoing): Place {
    const { method, id } = message
    if (typeof method !== 'string') return this.#placeAnswer(message)
    const sessionId = outgoing.sessionId ?? this.#sessionOfCancelled(message, this.#asked) ?? this.#connectionId
    const place: Place = { sessionId, kind: kindOf(message, undefined) }
    if (id === undefined) return place
    this.#asked.set(keyOf(id), { ...outgoing, sessionId, method })
    const turns = method === 'session/prompt' ? this.#openTurn(sessionId, keyOf(id)) : {}
    return { ...place, change: { ...outgoing.change, ...turns } }
  }

  /** It could not be journalled, so it was never sent. */
  forgetSent(message: Record<string, unknown>): void {
    const key = keyOf(message['id'])
    const asked = this.#asked.get(key)
    this.#asked.delete(key)
    if (asked?.sessionId !== undefined) this.bindingOf(asked.sessionId)?.openTurns.delete(key)
  }

  placeReceived(message: Record<string, unknown>): Verdict {
    const { method, id } = message
    if (typeof method !== 'string') return this.#placeReceivedAnswer(message)
    const agentSessionId = fields(message['params'])['sessionId']
    const binding = typeof agentSessionId === 'string' ? this.#bindings.get(agentSessionId) : undefined
    if (method === 'session/update') {
      if (binding?.repeated?.(message['params']) === true) return { type: 'repeated' }
      if (
        binding === undefined &&
        typeof agentSessionId === 'string' &&
        this.#isBeginning() &&
        this.#early++ < MAX_EARLY_UPDATES
      )
        return { type: 'early', agentSessionId }
    }
    // A request, too: what the agent asked for may have been done.
    if (binding !== undefined && !isStanding(message['params'])) binding.hasAnswered = true
    const sessionId = binding?.sessionId ?? this.#sessionOfCancelled(message, this.#asking) ?? this.#connectionId
    if (id !== undefined) this.#asking.set(keyOf(id), { method, sessionId })
    return { type: 'pass', place: { sessionId, kind: kindOf(message, undefined) } }
  }

  #placeAnswer(message: Record<string, unknown>): Place {
    const key = keyOf(message['id'])
    const asking = this.#asking.get(key)
    this.#asking.delete(key)
    return { sessionId: asking?.sessionId ?? this.#connectionId, kind: kindOf(message, asking?.method) }
  }

  #placeReceivedAnswer(message: Record<string, unknown>): Verdict {
    const key = keyOf(message['id'])
    const asked = this.#asked.get(key)
    const place: Place = { sessionId: asked?.sessionId ?? this.#connectionId, kind: kindOf(message, asked?.method) }
    if (asked === undefined) return { type: 'stray', place }
    this.#asked.delete(key)
    const change = asked.onAnswer?.(message)
    const turns = asked.method === 'session/prompt' ? this.#closeTurn(place.sessionId, key) : {}
    if (!this.#isBeginning()) this.#early = 0
    return { type: 'pass', place: { ...place, change: { ...change, ...turns } } }
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

  /** An answer is awaited that will tell the id of a session. */
  #isBeginning(): boolean {
    for (const { method } of this.#asked.values())
      if (method === 'session/new' || method === 'session/fork') return true
    return false
  }

  #sessionOfCancelled(
    { method, params }: Record<string, unknown>,
    requests: ReadonlyMap<string, { sessionId?: string }>,
  ): string | undefined {
    return method === '$/cancel_request' ? requests.get(keyOf(fields(params)['requestId']))?.sessionId : undefined
  }
}

function keyOf(id: unknown): string {
  return JSON.stringify(id ?? null)
}

// What an agent tells of a session: what was said and done in it, or how things stand.

/** A journal that has the conversation has these. */
const HISTORY = new Set<unknown>([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
])

/** Told at any time, also in a turn in which nothing happens. */
const STANDING = new Set<unknown>([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
])

/** Of the parameters of a session/update. One that is not known is neither. */
export function isHistory(params: unknown): boolean {
  return HISTORY.has(fields(fields(params)['update'])['sessionUpdate'])
}

export function isStanding(params: unknown): boolean {
  return STANDING.has(fields(fields(params)['update'])['sessionUpdate'])
}
