// What an agent may ask of its client, whoever answers it.
import type { ClientCapabilities } from '@agentclientprotocol/sdk'

export interface AgentRequest {
  /** Ours; in `params` is the agent's. */
  sessionId: string
  /** Connection and number of the request: what an answer has to name. */
  key: string
  method: string
  params: unknown
  /** Aborted by `$/cancel_request`, or when the connection has closed. */
  signal: AbortSignal
}

/** Serves what an agent asks of its client. The editor proxy is the other implementation. */
export interface ClientSide {
  readonly capabilities: ClientCapabilities
  /** The result for the agent. Throws `RequestError` for what is refused. */
  handle(request: AgentRequest): Promise<unknown>
  /** The turn was cancelled: what the agent waits for is answered with `cancelled`, as the protocol demands. Its terminals go on: the agent ends them. */
  cancel(sessionId: string): void
  /** The agent of this session is gone, or the session was closed: its terminals end, its questions are dropped. The session may come back. */
  release(sessionId: string): Promise<void>
  /** All sessions are released, and nothing is served any more. */
  close(): Promise<void>
}

export type Answer =
  | { type: 'selected'; optionId: string }
  | { type: 'cancelled' }
  | { type: 'accept'; content: Record<string, unknown> }
  | { type: 'decline' }

export interface Waiting {
  key: string
  type: 'permission' | 'question'
  params: unknown
}

/** Ours, which also lets somebody answer questions. */
export interface OwnClientSide extends ClientSide {
  /**
   * A permission takes `selected` or `cancelled`, a question `accept`, `decline` or `cancelled`. Throws `not-found` where nothing waits under this
   * key, and `usage` for an answer that does not fit, which leaves the question waiting.
   */
  answer(key: string, answer: Answer): void
  waiting(sessionId: string): readonly Waiting[]
}
