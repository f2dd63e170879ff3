// What every use of the catalog needs: the home, the agents, and the state folder.
import type { Agent } from '../agents/agent.ts'
import type { Environment } from '../agents/environment.ts'
import { plainEnvironment } from '../agents/environment.ts'
import { agents } from '../agents/index.ts'
import { makeJournalAgent } from '../journal/as-agent/index.ts'
import type { Config } from '../journal/config.ts'
import { RethreadError } from '../model/errors.ts'
import { findArchiveFolder, findJournal, readConfig } from './config.ts'
import type { Log } from './log.ts'
import { makeLog } from './log.ts'
import { makePlace } from './place.ts'

export interface Context {
  /** The built-in agents, and the journal, whose conversations are listed like those of an agent. */
  agents: readonly Agent[]
  environment: Environment
  /** The state folder of rethread. */
  state: string
  /** The file of the journal, whether or not it exists. */
  journal: string
  /** The folder of the archive, whether or not it exists. */
  archive: string
  /** Read on the first call. */
  config(): Promise<Config>
  log: Log
  /** How long to wait for a locked database. Default: that of the stores. */
  busyMs?: number
}

export interface ContextOptions {
  /** Use this folder as the home. Stores are searched for only below it, and no variable moves them. */
  home?: string
  state?: string
  /** The file of the journal. */
  journal?: string
  logLevel?: string
}

export function makeContext(options: ContextOptions = {}): Context {
  const { environment, state } = makePlace(options)
  const journal = findJournal(environment, state, options.journal)
  const archive = findArchiveFolder(environment, state)
  return contextFor({ environment, state, journal, archive }, makeLog(state, options.logLevel))
}

/** The plain data of a context, from which a thread makes its own. */
export interface ContextPlaces {
  environment: Environment
  state: string
  journal: string
  archive: string
  busyMs?: number
}

export function placesOf({ environment, state, journal, archive, busyMs }: Context): ContextPlaces {
  const wait = busyMs === undefined ? {} : { busyMs }
  return { environment: plainEnvironment(environment), state, journal, archive, ...wait }
}

export function contextFor({ environment, state, journal, archive, busyMs }: ContextPlaces, log: Log): Context {
  let config: Promise<Config> | undefined
  return {
    agents: [...agents, makeJournalAgent(journal)],
    environment,
    state,
    journal,
    archive,
    config() {
      config ??= readConfig(environment)
      return config
    },
    log,
    ...(busyMs === undefined ? {} : { busyMs }),
  }
}

export function agentById(context: Context, id: string): Agent {
  const agent = context.agents.find(candidate => candidate.id === id)
  if (agent !== undefined) return agent
  throw new RethreadError({
    code: 'usage',
    text: `Unknown agent "${id}".`,
    hint: `Use one of: ${context.agents.map(candidate => candidate.id).join(', ')}`,
  })
}
