// Care for the agents' own stores while we talk to the agents over ACP: a copy of a session before its agent loads it, and a repair where it cannot.

import type { Context } from '../../catalog/context.ts'
import { agentById } from '../../catalog/context.ts'
import type { AgentFiles } from '../restore/agent-files.ts'
import { checkStored, repairStored } from './check-and-repair.ts'
import { findStored } from './find-stored.ts'
import { takeSnapshot } from './take-snapshot.ts'

export interface AgentFilesOptions {
  context: Context
  /** For agents that are configured under a name of their own: whose store they write to, by its id. */
  storeOf?: Readonly<Record<string, string>>
}

/** Throws where `storeOf` names an agent that there is not. Needs no server: it works in its own process, under the same locks as everybody. */
export function makeAgentFiles({ context, storeOf = {} }: AgentFilesOptions): AgentFiles {
  for (const id of Object.values(storeOf)) agentById(context, id)
  return {
    async snapshot(name, agentSessionId) {
      const stored = await findStored(context, storeOf, name, agentSessionId)
      return stored.type === 'found' ? await takeSnapshot(context, stored) : undefined
    },
    check: (name, agentSessionId) => checkStored(context, storeOf, name, agentSessionId),
    repair: (name, agentSessionId) => repairStored(context, storeOf, name, agentSessionId),
  }
}
