// What every use of the catalog needs: the home, the agents, and the state folder.
import { homedir } from 'node:os'
import { isAbsolute, relative, resolve } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { Environment, Platform } from '../agents/environment.ts'
import { inHome, joinIn, localApplicationData, plainEnvironment, stateHome, variable } from '../agents/environment.ts'
import { agents } from '../agents/index.ts'
import { exists, realPath } from '../disk/files/read.ts'
import { makeJournalAgent } from '../journal/agent/index.ts'
import type { Config } from '../journal/config.ts'
import { RethreadError } from '../model/errors.ts'
import { findJournal, readConfig } from './config.ts'
import type { Log } from './log.ts'
import { makeLog } from './log.ts'

export interface Context {
  /** The built-in agents, and the journal, whose conversations are listed like those of an agent. */
  agents: readonly Agent[]
  environment: Environment
  /** The state folder of rethread. */
  state: string
  /** The file of the journal, whether or not it exists. */
  journal: string
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
  const environment = makeEnvironment(options.home)
  const state = resolve(options.state ?? process.env['RETHREAD_STATE_DIR'] ?? stateOf(environment))
  const journal = findJournal(environment, state, options.journal)
  return contextFor({ environment, state, journal }, makeLog(state, options.logLevel))
}

/** The plain data of a context, from which a thread makes its own. */
export interface ContextPlaces {
  environment: Environment
  state: string
  journal: string
  busyMs?: number
}

export function placesOf({ environment, state, journal, busyMs }: Context): ContextPlaces {
  return { environment: plainEnvironment(environment), state, journal, ...(busyMs === undefined ? {} : { busyMs }) }
}

export function contextFor({ environment, state, journal, busyMs }: ContextPlaces, log: Log): Context {
  let config: Promise<Config> | undefined
  return {
    agents: [...agents, makeJournalAgent(journal)],
    environment,
    state,
    journal,
    config() {
      config ??= readConfig(environment)
      return config
    },
    log,
    ...(busyMs === undefined ? {} : { busyMs }),
  }
}

function makeEnvironment(home: string | undefined): Environment {
  return {
    home: home === undefined ? homedir() : resolve(home),
    platform: supportedPlatform(),
    variables: home === undefined ? process.env : {},
    ...(home === undefined ? startedIn() : { ...startedBelow(home), anyLayout: true }),
  }
}

/** Compares with the real path of the home, because the system reports the current folder as a real path. */
function startedBelow(home: string): Pick<Environment, 'folder' | 'top'> {
  const { folder } = startedIn()
  if (folder === undefined || !exists(home)) return {}
  const top = realPath(home)
  const inside = relative(top, folder)
  return inside.startsWith('..') || isAbsolute(inside) ? {} : { folder, top }
}

/** The current folder may have been removed. */
function startedIn(): Pick<Environment, 'folder'> {
  try {
    return { folder: process.cwd() }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}

function supportedPlatform(): Platform {
  const { platform } = process
  // Other Unix systems place files as Linux does.
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux'
}

function stateOf(environment: Environment): string {
  switch (environment.platform) {
    case 'linux':
      return joinIn(environment, stateHome(environment), 'rethread')
    case 'darwin':
      return variable(environment, 'XDG_STATE_HOME') === undefined
        ? inHome(environment, 'Library', 'Application Support', 'rethread')
        : joinIn(environment, stateHome(environment), 'rethread')
    case 'win32':
      return joinIn(environment, localApplicationData(environment), 'rethread')
  }
}

export function agentById(context: Context, id: string): Agent {
  const agent = context.agents.find(candidate => candidate.id === id)
  if (agent !== undefined) return agent
  throw new RethreadError({
    code: 'usage',
    text: `There is no agent "${id}".`,
    hint: `Use one of: ${context.agents.map(candidate => candidate.id).join(', ')}`,
  })
}
