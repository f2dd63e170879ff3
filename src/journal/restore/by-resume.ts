// Restores with session/resume: the agent continues without repeating its history.
import {
  failedBy,
  hasWholeConversation,
  paramsWithAgentId,
  type RestoreContext,
  type RestoreOutcome,
  type RestoreStrategy,
} from './strategy.ts'

export const restoreByResume: RestoreStrategy = {
  name: 'resume',
  describe: agent => `Resuming the conversation in ${agent}`,
  // An agent resumes a damaged session without reporting what it lost.
  isApplicable: ({ session, connection, isDamaged }) =>
    hasWholeConversation(session) && !isDamaged && connection.capabilities.has('resume'),
  attempt: resume,
}

export async function resume({ session, connection, beginMs }: RestoreContext): Promise<RestoreOutcome> {
  const binding = connection.bind(session.id, session.agentSessionId)
  try {
    const options = { sessionId: session.id, timeoutMs: beginMs }
    const answer = await connection.request('session/resume', paramsWithAgentId(session), options)
    return { binding, answer, text: 'The agent resumed the conversation itself.' }
  } catch (error) {
    connection.unbind(session.id)
    return failedBy(error)
  }
}
