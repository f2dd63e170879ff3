// How many messages a session has, as its reader counts them.
import { type Store, storeOf } from '../agents/store.ts'
import { RethreadError } from '../model/errors.ts'
import { isConversation } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'
import { openView, type ViewRequest } from './view.ts'

/** Undefined where the session cannot be read: then there is nothing to count, and a check says why. */
export async function countLive(store: Store, session: SessionRef): Promise<number | undefined> {
  const ids = new Set<string>()
  try {
    for await (const message of store.read(session)) if (isConversation(message)) ids.add(message.id)
    return ids.size
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return ['empty-file', 'not-a-session', 'session-not-found'].includes(error.code) ? 0 : undefined
  }
}

export async function countMessagesAt(request: ViewRequest): Promise<number | undefined> {
  try {
    const { session } = await openView(request)
    return await countLive(storeOf(request.agent, session), session)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return undefined
  }
}
