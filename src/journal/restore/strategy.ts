// The interface of a restore strategy: one way to bring a conversation back to its agent.

import { ACP_SESSION_ID } from '../../model/session-id.ts'
import type { Binding } from '../connection/attribution.ts'
import type { AgentConnection } from '../connection/connection.ts'
import { asFields } from '../envelope.ts'
import type { StrategyName } from '../store/notes.ts'
import type { JournalSession, JournalStore, SessionChange } from '../store/store.ts'
import type { AgentFileRepair, AgentFiles } from './agent-files-interface.ts'

export interface RestoreContext {
  store: JournalStore
  agentFiles: AgentFiles
  session: JournalSession
  connection: AgentConnection
  /** The agent's own file of the session is damaged. */
  isDamaged: boolean
  /** The result of a repair that ran before the agent was started. */
  repaired: AgentFileRepair | undefined
  /** No agent got a message of it yet. */
  isNew: boolean
  /** How long the agent may take to start or load a session. */
  beginMs: number
}

export interface RestoreStrategy {
  name: StrategyName
  /** For people, while it is tried. `agent`: its name. */
  describe(agent: string): string
  isApplicable(context: RestoreContext): boolean
  attempt(context: RestoreContext): Promise<RestoreOutcome>
}

export type RestoreOutcome = RestoreSuccess | RestoreFailure

export interface RestoreSuccess {
  binding: Binding
  /** The agent's answer: modes and options of the session. */
  answer: unknown
  text: string
  /** What the agent may no longer know. */
  lost?: string
  change?: SessionChange
  snapshot?: string
  receipt?: string
}

/** Why the strategy failed, for people, and the error, if any. */
export interface RestoreFailure {
  why: string
  error?: unknown
}

export function failedBy(error: unknown): RestoreFailure {
  return { why: error instanceof Error ? error.message : String(error), error }
}

/** The parameters that started the session. */
export function startParamsOf({ initJson, cwd }: JournalSession): object {
  return initJson === undefined ? { cwd, mcpServers: [] } : asFields(JSON.parse(initJson))
}

export function paramsWithAgentId(session: JournalSession): object {
  return { ...startParamsOf(session), sessionId: session.agentSessionId }
}

/** Whether the id can be passed to the agent, which may put it into a command line. */
export function hasUsableAgentId({ agentSessionId }: JournalSession): boolean {
  return ACP_SESSION_ID.test(agentSessionId)
}

/** False while the agent session still needs a replay, or may not have received one. */
export function hasWholeConversation(session: JournalSession): boolean {
  return hasUsableAgentId(session) && session.replay === undefined
}
