// The interface for what an agent may ask of its client.
import type { ClientCapabilities } from '@agentclientprotocol/sdk'

export interface AgentRequest {
  /** rethread's session id. `params` holds the agent's id. */
  sessionId: string
  /** The connection and the number of the request. An answer names it. */
  key: string
  method: string
  params: unknown
  /** Aborted by `$/cancel_request`, or when the connection closes. */
  signal: AbortSignal
}

/**
 * Serves the requests of an agent. One implementation is rethread's own client, the other passes requests to
 * an editor.
 */
export interface ClientSide {
  readonly capabilities: ClientCapabilities
  /** Returns the result for the agent. Throws `RequestError` for a refused request. */
  handle(request: AgentRequest): Promise<unknown>
  /**
   * The turn was cancelled. Open questions are answered with `cancelled`, as ACP requires. The agent ends its
   * terminals.
   */
  cancel(sessionId: string): void
  /**
   * The agent exited, or the session was closed. Ends the terminals and drops the questions. The session may
   * come back.
   */
  release(sessionId: string): Promise<void>
  /** Releases all sessions and stops serving. */
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

/** rethread's own client, in which a person can answer questions. */
export interface OwnClientSide extends ClientSide {
  /**
   * A permission takes `selected` or `cancelled`. A question takes `accept`, `decline` or `cancelled`. Throws
   * `not-found` where no request with this key is open. Throws `usage` for an answer that does not fit; the
   * request then stays open.
   */
  answer(key: string, answer: Answer): void
  waiting(sessionId: string): readonly Waiting[]
}
