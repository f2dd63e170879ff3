// Care for the agents' own stores while we talk to the agents over ACP: a copy of a session before its agent loads it, and a repair where it cannot.

import type { Context } from '../../catalog/context.ts'
import { agentById } from '../../catalog/context.ts'
import type { StoreCare } from '../agent-files.ts'
import { checkStored } from './check-stored.ts'
import { findStored } from './find-stored.ts'
import { mendStored } from './repair-stored.ts'
import { takeSnapshot } from './take-snapshot.ts'

export interface StoreCareOptions {
  context: Context
  /** For agents that are configured under a name of their own: whose store they write to, by its id. */
  storeOf?: Readonly<Record<string, string>>
}

/** Throws where `storeOf` names an agent that there is not. Needs no server: it works in its own process, under the same locks as everybody. */
export function makeStoreCare({ context, storeOf = {} }: StoreCareOptions): StoreCare {
  for (const id of Object.values(storeOf)) agentById(context, id)
  return {
    async snapshot(name, agentSessionId) {
      const stored = await findStored(context, storeOf, name, agentSessionId)
      return stored.type === 'found' ? await takeSnapshot(context, stored) : undefined
    },
    check: (name, agentSessionId) => checkStored(context, storeOf, name, agentSessionId),
    mend: (name, agentSessionId) => mendStored(context, storeOf, name, agentSessionId),
  }
}
