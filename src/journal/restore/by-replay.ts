// Restores with session/new and the original parameters. The next prompt carries the replay, which
// replay/build-replay.ts builds.

import { asFields } from '../envelope.ts'
import { noSessionId } from '../errors.ts'
import { failedBy, type RestoreContext, type RestoreOutcome, type RestoreStrategy, startParamsOf } from './strategy.ts'

export const restoreByReplay: RestoreStrategy = {
  name: 'replay',
  describe: agent => `Starting a new session of ${agent}`,
  isApplicable: () => true,
  attempt: startNewSession,
}

async function startNewSession({
  store,
  session,
  connection,
  beginMs,
  isNew,
}: RestoreContext): Promise<RestoreOutcome> {
  const upTo = isNew ? 0 : await store.count(session.id)
  let agentSessionId: unknown
  let answer: unknown
  try {
    answer = await connection.request(
      'session/new',
      { ...startParamsOf(session) },
      {
        sessionId: session.id,
        timeoutMs: beginMs,
        onAnswer(message) {
          agentSessionId = asFields(message['result'])['sessionId']
          if (typeof agentSessionId !== 'string') return undefined
          connection.bind(session.id, agentSessionId)
          // Stored in one step with the new id, so that a crash cannot lose the pending replay.
          const replay = upTo === 0 ? null : { state: 'pending' as const, upTo }
          return { agentSessionId, lastConnectionId: connection.id, replay }
        },
      },
    )
  } catch (error) {
    return failedBy(error)
  }
  if (typeof agentSessionId !== 'string') return failedBy(noSessionId(connection.agent.title))
  return {
    binding: connection.bind(session.id, agentSessionId),
    answer,
    text: 'The agent starts a new session. The earlier conversation is sent with the next message.',
    lost: 'The agent knows the earlier conversation only as text of limited length, without tool results.',
  }
}
