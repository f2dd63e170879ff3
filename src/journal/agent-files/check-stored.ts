// Whether the agent's own file of a session is damaged, before the agent is trusted with it.
import { UNUSUAL_ID } from '../../agents/session-ids.ts'
import type { Context } from '../../catalog/context.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Status, Verdict } from '../../model/verdict.ts'
import { checkSession } from '../../repair/check/check.ts'
import type { AgentFiles } from '../restore/agent-files.ts'
import { findStored } from './find-stored.ts'

/** Of several files with this id one that is healthy is enough: an agent leaves others beside it. */
export async function checkStored(
  context: Context,
  storeOf: Readonly<Record<string, string>>,
  name: string,
  sessionId: string,
): ReturnType<AgentFiles['check']> {
  try {
    const stored = await findStored(context, storeOf, name, sessionId)
    if (stored.type === 'unknown') return 'unknown'
    const verdicts = []
    for (const session of stored.sessions) verdicts.push(statusOfFile((await checkSession(context, session)).verdict))
    if (verdicts.includes('healthy')) return 'healthy'
    return verdicts.includes('corrupted') ? 'damaged' : 'unknown'
  } catch (error) {
    // A store that cannot be looked at says nothing about the session: the agent is asked.
    if (error instanceof RethreadError) return 'unknown'
    throw error
  }
}

/** An id that the store does not know is no damage of its file. Whether an agent may be asked for it is decided where that is done. */
function statusOfFile({ status, findings }: Verdict): Status {
  const isOnlyId = findings.length > 0 && findings.every(({ damage }) => damage === UNUSUAL_ID)
  return status === 'corrupted' && isOnlyId ? 'healthy' : status
}
