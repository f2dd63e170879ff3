// Protects the agents' own files during a conversation: a copy before the agent loads a session, a check, and
// a repair.

import type { Context } from '../../catalog/context.ts'
import { agentById } from '../../catalog/context.ts'
import type { AgentFiles } from '../restore/agent-files-interface.ts'
import { checkAgentFile, repairStored } from './check-and-repair.ts'
import { findStored } from './find-stored.ts'
import { takeSnapshot } from './take-snapshot.ts'

export interface AgentFilesOptions {
  context: Context
  /** The store id for each agent that is configured under its own name. */
  storeOf?: Readonly<Record<string, string>>
}

/**
 * Throws where `storeOf` names an unknown agent. Works without a server, under the same locks as every
 * process.
 */
export function makeAgentFiles({ context, storeOf = {} }: AgentFilesOptions): AgentFiles {
  for (const id of Object.values(storeOf)) agentById(context, id)
  return {
    async snapshot(name, agentSessionId) {
      const stored = await findStored(context, storeOf, name, agentSessionId)
      return stored.type === 'found' ? await takeSnapshot(context, stored) : undefined
    },
    check: (name, agentSessionId) => checkAgentFile(context, storeOf, name, agentSessionId),
    repair: (name, agentSessionId) => repairStored(context, storeOf, name, agentSessionId),
  }
}
