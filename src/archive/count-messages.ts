// How many messages a session has, as its reader counts them.
import { type Store, storeOf } from '../agents/store.ts'
import { type ErrorCode, RethreadError } from '../model/errors.ts'
import { isConversation } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'
import { openView, type ViewRequest } from './view.ts'

/** A session without any message is read with one of these errors. */
export const HAS_NO_MESSAGES: ReadonlySet<ErrorCode> = new Set(['empty-file', 'not-a-session', 'session-not-found'])

/** Undefined where the session cannot be read: then there is nothing to count, and a check says why. */
export async function countLive(store: Store, session: SessionRef): Promise<number | undefined> {
  const ids = new Set<string>()
  try {
    for await (const message of store.read(session)) if (isConversation(message)) ids.add(message.id)
    return ids.size
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return HAS_NO_MESSAGES.has(error.code) ? 0 : undefined
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
