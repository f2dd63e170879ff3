// What a verdict on a session is made from: its file, and the files beside it that its agent reads as well.
import type { SessionRef } from '../model/session.ts'
import type { CheckContext } from './check.ts'
import type { Origin } from './origin.ts'
import { originOf } from './origin.ts'

export async function originOfCheck(context: CheckContext, session: SessionRef): Promise<Origin> {
  const agent = context.agents.find(({ id }) => id === session.agent)
  const mend = await agent?.generations[session.generation]?.mend?.()
  const companions = mend?.companions?.(session, context.environment) ?? []
  return companions.length === 0 ? originOf(session) : originOf(session, [session.filePath, ...companions])
}
