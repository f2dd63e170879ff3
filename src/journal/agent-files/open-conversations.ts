// Opens what live conversations need: the journal, the configured agents, and access to the agents' own
// files.

import { dirname } from 'node:path'
import { childEnvironment } from '../../agents/child-environment.ts'
import type { Context } from '../../catalog/context.ts'
import { exists } from '../../disk/files/read.ts'
import { stateFolder } from '../../disk/state/state.ts'
import type { AcpAgents } from '../connection/acp-agents.ts'
import type { AgentCommand } from '../connection/agent-process.ts'
import { importForeign } from '../import/index.ts'
import type { AgentFiles } from '../restore/agent-files-interface.ts'
import type { ReplayLimits } from '../restore/replay/build-replay.ts'
import { importedFrom } from '../store/default-path.ts'
import { openJournal } from '../store/open.ts'
import type { JournalStore } from '../store/store.ts'
import { collectAcpAgents } from './collect-acp-agents.ts'
import { makeAgentFiles } from './index.ts'

export interface ConversationParts {
  store: JournalStore
  agents: AcpAgents
  agent(name: string): AgentCommand
  agentFiles: AgentFiles
  replay: ReplayLimits
  /** The environment of the agents' processes. */
  env: NodeJS.ProcessEnv
  onBackgroundError(error: unknown): void
}

/** The caller closes the store. `secrets` are removed from the environment of every agent, under any name. */
export async function openConversationParts(
  context: Context,
  secrets: readonly string[] = [],
): Promise<ConversationParts> {
  const config = await context.config()
  const agents = await collectAcpAgents(context)
  return {
    store: await openOwnJournal(context, config.synchronous),
    agents,
    agent: name => agents.get(name),
    agentFiles: makeAgentFiles({ context, storeOf: storesOf(agents) }),
    replay: { maxEvents: config.replay_max_events, maxChars: config.replay_max_chars },
    env: childEnvironment({ context, variables: process.env, secrets }),
    onBackgroundError(error) {
      context.log.debug('A connection could not be written down.', { error: String(error) })
      void context.log.flush()
    },
  }
}

/**
 * Creates rethread's own state folder where missing. The folder of a configured journal file is the user's.
 */
async function openOwnJournal({ journal, state }: Context, synchronous: 'normal' | 'full'): Promise<JournalStore> {
  if (dirname(journal) === state) stateFolder(state)
  const store = await openJournal(journal, { synchronous })
  const source = importedFrom(journal)
  if (source === undefined || !exists(source)) return store
  try {
    await importForeign(source, store)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The store id of each agent that has one. */
function storesOf(agents: AcpAgents): Record<string, string> {
  return Object.fromEntries(
    agents.list().flatMap(({ name, store }) => (store === undefined ? [] : [[name, store] as const])),
  )
}
