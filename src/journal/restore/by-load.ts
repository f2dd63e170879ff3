// Restores with session/load. The agent repeats its history, which is compared with the journal and not
// journalled again.

import type { AgentConnection } from '../connection/connection.ts'
import type { JournalSession } from '../store/store.ts'
import type { Snapshot } from './agent-files-interface.ts'
import { describeLoss, type LoadMatch } from './match/match.ts'
import { RepeatedHistory } from './repeated-history.ts'
import {
  failedBy,
  hasUsableAgentId,
  paramsWithAgentId,
  type RestoreContext,
  type RestoreFailure,
  type RestoreOutcome,
  type RestoreStrategy,
} from './strategy.ts'

export const restoreByLoad: RestoreStrategy = {
  name: 'load',
  describe: agent => `Loading the conversation in ${agent}`,
  // For a replay that was sent, the loaded history shows whether it reached the agent.
  isApplicable: ({ session, connection, isDamaged }) =>
    hasUsableAgentId(session) &&
    session.replay?.state !== 'pending' &&
    !isDamaged &&
    connection.capabilities.has('load'),
  attempt: attemptLoad,
}

export async function attemptLoad(context: RestoreContext): Promise<RestoreOutcome> {
  const { session, connection, agentFiles, store, beginMs } = context
  // Loading can make an agent rewrite or erase its own file.
  const snapshot = await agentFiles.snapshot(session.agent, session.agentSessionId)
  const deadline = Date.now() + beginMs
  const history = new RepeatedHistory(connection.bind(session.id, session.agentSessionId))
  const outcome = await askToLoad(context, history)
  if ('why' in outcome) return await giveUp(context, snapshot, outcome)
  const match = await history.compare(store, session.id, deadline)
  const failed = await refuse(match, session, snapshot)
  if (failed !== undefined) return await giveUp(context, snapshot, failed)
  const lost = describeLoss(match)
  return {
    ...outcome,
    change: { replay: null },
    ...(lost === undefined ? {} : { lost }),
    ...(snapshot === undefined ? {} : { snapshot: snapshot.id }),
  }
}

async function askToLoad(
  { session, connection, beginMs }: RestoreContext,
  history: RepeatedHistory,
): Promise<RestoreOutcome> {
  const binding = connection.bind(session.id, session.agentSessionId)
  try {
    const onAnswer = () => {
      history.onAnswer()
      return undefined
    }
    const options = { sessionId: session.id, timeoutMs: beginMs, onAnswer }
    const answer = await connection.request('session/load', paramsWithAgentId(session), options)
    return { binding, answer, text: 'The agent loaded the conversation from its own store.' }
  } catch (error) {
    history.stop()
    return failedBy(error)
  }
}

async function giveUp(
  { session, connection }: RestoreContext,
  snapshot: Snapshot | undefined,
  failed: RestoreFailure,
): Promise<RestoreFailure> {
  connection.unbind(session.id)
  await putBackIfLost(snapshot, connection)
  return failed
}

async function refuse(
  match: LoadMatch,
  { replay }: JournalSession,
  snapshot: Snapshot | undefined,
): Promise<RestoreFailure | undefined> {
  if ((await snapshot?.compare()) === 'lost')
    return { why: 'While loading the session, the agent lost the content of its own file.' }
  if (match.hasReplay) return undefined
  if (replay !== undefined) return { why: 'The loaded session does not contain the replayed conversation.' }
  if (match.verdict === 'none') return { why: 'The session loaded, but without the conversation.' }
  return undefined
}

/** The agent must not run while its file is put back. Its other conversations are restored when needed. */
async function putBackIfLost(snapshot: Snapshot | undefined, connection: AgentConnection): Promise<void> {
  if (snapshot === undefined || (await snapshot.compare()) !== 'lost') return
  if (connection.bindings.some(({ openTurns }) => openTurns.size > 0)) return
  await connection.close()
  await snapshot.putBack()
}
