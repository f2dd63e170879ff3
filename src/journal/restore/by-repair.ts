// Repairs the agent's own file, then lets the agent load or resume it.
import { attemptLoad } from './by-load.ts'
import { resume } from './by-resume.ts'
import { hasUsableAgentId, type RestoreContext, type RestoreOutcome, type RestoreStrategy } from './strategy.ts'

export const restoreByRepair: RestoreStrategy = {
  name: 'repair',
  describe: agent => `Repairing the session of ${agent} and loading it`,
  isApplicable: ({ session, connection: { capabilities } }) =>
    hasUsableAgentId(session) &&
    session.replay?.state !== 'pending' &&
    (capabilities.has('load') || (capabilities.has('resume') && session.replay === undefined)),
  attempt: repairAndLoad,
}

async function repairAndLoad(context: RestoreContext): Promise<RestoreOutcome> {
  const { agentFiles, session, connection } = context
  const repaired = context.repaired ?? (await agentFiles.repair(session.agent, session.agentSessionId))
  if (repaired.status !== 'repaired') return { why: repaired.text }
  const outcome = await (connection.capabilities.has('load') ? attemptLoad(context) : resume(context))
  if ('why' in outcome) return { ...outcome, why: `${repaired.text} But then: ${outcome.why}` }
  return { ...outcome, text: `${repaired.text} ${outcome.text}`, receipt: repaired.receipt }
}
