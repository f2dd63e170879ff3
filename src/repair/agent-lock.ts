// Takes the agent's own lock on a session while rethread writes to it. Only some agents have such a lock.
import type { HeldLock, HoldOptions } from '../agents/agent.ts'
import type { SessionRef } from '../model/session.ts'
import type { CheckContext } from './check/check.ts'

export type AgentLockContext = Pick<CheckContext, 'agents' | 'environment'>

/**
 * Returns undefined for an agent without a lock. Throws `locked` where the agent has the lock, `unsupported`
 * where it cannot be taken on this system.
 */
export function takeAgentLock(
  { agents, environment }: AgentLockContext,
  { agent, sessionId, filePath }: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>,
  options: HoldOptions = {},
): HeldLock | undefined {
  return agents.find(({ id }) => id === agent)?.hold?.(environment, { sessionId, filePath }, options)
}
