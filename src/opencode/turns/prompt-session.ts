// Sends a prompt in a session: applies the model, starts the turn, and builds the answer for the client.
import type { Api } from '../api.ts'
import type { SessionView } from '../projection/session-view.ts'
import type { AssistantMessage, MessageWithParts } from '../shapes/message.ts'
import { noTokens } from '../shapes/part.ts'
import { chooseModel, type NamedModel } from './model-settings.ts'
import type { Prompted, TurnAnswer, TurnEnd } from './running-turn.ts'
import { describeError } from './turns.ts'

export interface SessionPrompt extends Prompted, NamedModel {}

/** Resolves when the prompt is in the journal. The returned function waits for its answer. */
export async function promptSession(
  api: Api,
  wireId: string,
  said: SessionPrompt,
): Promise<() => Promise<MessageWithParts>> {
  const { sessions, turns, views, catalogue } = api
  const { id } = await sessions.find(wireId)
  await api.conversations.refuseHeld(id)
  const createdAt = Date.now()
  const answered = await sessions.locks.run(id, async () => {
    const record = await sessions.find(wireId)
    const { providerID, modelID } = (await views.get(id)).toSession()
    const choice = chooseModel(catalogue, said, { providerID, modelID })
    if (choice !== undefined) await sessions.choose(record, choice, turns.isBusy(id))
    return await turns.start(id, said)
  })
  return async () => {
    const answer = await makeAnswer(api, id, await answered.end, createdAt)
    // A client may stop listening when it has the answer.
    await api.bus.flushed()
    return answer
  }
}

async function makeAnswer(api: Api, id: string, answer: TurnAnswer, createdAt: number): Promise<MessageWithParts> {
  const { views } = api
  const { end, answerId, userId } = answer
  const message = end.type === 'ended' && answerId !== undefined ? await views.message(id, answerId) : undefined
  if (message !== undefined) return message
  return { info: standIn(await views.get(id), end, userId, createdAt), parts: [] }
}

const SUFFIXES: Record<TurnEnd['type'], string> = { ended: 'assistant', pending: 'pending', failed: 'error' }

/** Stands in for an answer that does not exist. */
function standIn(view: SessionView, end: TurnEnd, userId: string, created: number): AssistantMessage {
  const { providerID, modelID, id: sessionID, directory } = view.toSession()
  const error = end.type === 'failed' ? describeError(view, end.error) : undefined
  return {
    id: `${userId}_${SUFFIXES[end.type]}`,
    sessionID,
    role: 'assistant',
    time: end.type === 'pending' ? { created } : { created, completed: Date.now() },
    ...(error === undefined ? {} : { error }),
    parentID: userId,
    providerID,
    modelID,
    mode: view.mode ?? 'default',
    agent: providerID,
    path: { cwd: directory, root: directory },
    cost: 0,
    tokens: noTokens(),
  }
}
