// What a rung of the ladder is: one way in which a conversation comes back.

import { ACP_SESSION_ID } from '../../model/session-id.ts'
import type { Binding } from '../connection/attribution.ts'
import type { AgentConnection } from '../connection/connection.ts'
import { fields } from '../envelope.ts'
import type { StrategyName } from '../store/notes.ts'
import type { JournalSession, JournalStore, SessionChange } from '../store/store.ts'
import type { AgentFileRepair, AgentFiles } from './agent-files.ts'

export interface RestoreContext {
  store: JournalStore
  agentFiles: AgentFiles
  session: JournalSession
  connection: AgentConnection
  /** The agent's own file of the session has damage. */
  isDamaged: boolean
  /** What became of the damage, where it was seen to before the agent was started. */
  repaired: AgentFileRepair | undefined
  /** The agent is given so long to begin or load a session. */
  beginMs: number
}

export interface RestoreStrategy {
  name: StrategyName
  isApplicable(context: RestoreContext): boolean
  attempt(context: RestoreContext): Promise<RestoreOutcome>
}

export type RestoreOutcome = RestoreSuccess | RestoreFailure

export interface RestoreSuccess {
  binding: Binding
  /** What the agent answered: modes and options of the session. */
  answer: unknown
  text: string
  /** What the agent may not know any more. */
  lost?: string
  change?: SessionChange
  snapshot?: string
  receipt?: string
}

/** Why it does not hold, for people; and what was thrown, where something was. */
export interface RestoreFailure {
  why: string
  error?: unknown
}

export function failedBy(error: unknown): RestoreFailure {
  return { why: error instanceof Error ? error.message : String(error), error }
}

/** What the session was begun with. */
export function startParamsOf({ initJson, cwd }: JournalSession): object {
  return initJson === undefined ? { cwd, mcpServers: [] } : fields(JSON.parse(initJson))
}

export function paramsWithAgentId(session: JournalSession): object {
  return { ...startParamsOf(session), sessionId: session.agentSessionId }
}

/** Whether the agent can be asked for it by its id: an agent may put it into a command line of its own. */
export function hasUsableAgentId({ agentSessionId }: JournalSession): boolean {
  return ACP_SESSION_ID.test(agentSessionId)
}

/** What the agent has under this id never got to know what was said before, or nobody knows whether it did. */
export function hasWholeConversation(session: JournalSession): boolean {
  return hasUsableAgentId(session) && session.replay === undefined
}
