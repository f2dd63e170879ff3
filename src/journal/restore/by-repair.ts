// The agent's own file is checked and repaired, then the agent is asked again.
import { load } from './by-load.ts'
import { resume } from './by-resume.ts'
import { isNamed, type Outcome, type RungContext, type RungDefinition } from './strategy.ts'

export const repairRung: RungDefinition = {
  name: 'repair',
  isOffered: ({ session, connection: { capabilities } }) =>
    isNamed(session) &&
    session.replay?.state !== 'pending' &&
    (capabilities.has('load') || (capabilities.has('resume') && session.replay === undefined)),
  climb: repairAndLoad,
}

async function repairAndLoad(context: RungContext): Promise<Outcome> {
  const { care, session, connection } = context
  const mended = context.mended ?? (await care.mend(session.agent, session.agentSessionId))
  if (mended.status !== 'repaired') return { why: mended.text }
  const outcome = await (connection.capabilities.has('load') ? load(context) : resume(context))
  if ('why' in outcome) return { ...outcome, why: `${mended.text} But then: ${outcome.why}` }
  return { ...outcome, text: `${mended.text} ${outcome.text}`, receipt: mended.receipt }
}
