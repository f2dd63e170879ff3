// Keeps the agent of a session away from it while we write, where that agent has a lock of its own.
import type { HeldLock, HoldOptions } from '../agents/agent.ts'
import type { SessionRef } from '../model/session.ts'
import type { CheckContext } from './check/check.ts'

export type HoldContext = Pick<CheckContext, 'agents' | 'environment'>

/** Undefined where there is nothing to hold. Throws `locked` where the agent has it, `unsupported` where it cannot be taken here. */
export function holdSession(
  { agents, environment }: HoldContext,
  { agent, sessionId, filePath }: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>,
  options: HoldOptions = {},
): HeldLock | undefined {
  return agents.find(({ id }) => id === agent)?.hold?.(environment, { sessionId, filePath }, options)
}
