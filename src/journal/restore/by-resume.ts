// session/resume: the agent goes on by itself and repeats nothing.
import { failedBy, isTold, namedParams, type Outcome, type RestoreContext, type RestoreStrategy } from './strategy.ts'

export const restoreByResume: RestoreStrategy = {
  name: 'resume',
  // A damaged session resumes without a word about what it lost.
  isOffered: ({ session, connection, isDamaged }) =>
    isTold(session) && !isDamaged && connection.capabilities.has('resume'),
  climb: resume,
}

export async function resume({ session, connection, beginMs }: RestoreContext): Promise<Outcome> {
  const binding = connection.bind(session.id, session.agentSessionId)
  try {
    const options = { sessionId: session.id, timeoutMs: beginMs }
    const answer = await connection.request('session/resume', namedParams(session), options)
    return { binding, answer, text: 'The agent resumed the conversation itself.' }
  } catch (error) {
    connection.unbind(session.id)
    return failedBy(error)
  }
}
