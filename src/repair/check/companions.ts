// What a verdict on a session is made from: its file, and the files beside it that its agent reads as well.
import type { Generation } from '../../agents/agent.ts'
import type { Mend } from '../../agents/repair.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Origin } from '../verdicts/origin.ts'
import { originOf } from '../verdicts/origin.ts'
import type { CheckContext } from './check.ts'

/** Asked for with every session; to import it each time would take as long as to look at the file. */
const known = new WeakMap<Generation, Promise<Mend>>()

function mendOf(generation: Generation): Promise<Mend> | undefined {
  const mend = known.get(generation) ?? generation.mend?.()
  if (mend !== undefined) known.set(generation, mend)
  return mend
}

export async function originOfCheck(context: CheckContext, session: SessionRef): Promise<Origin> {
  const generation = context.agents.find(({ id }) => id === session.agent)?.generations[session.generation]
  const mend = generation === undefined ? undefined : await mendOf(generation)
  const companions = mend?.companions?.(session, context.environment) ?? []
  return companions.length === 0 ? originOf(session) : originOf(session, [session.filePath, ...companions])
}
