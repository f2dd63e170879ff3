// What every use of the library needs: whose home, which agents, where our own state is.
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { Environment, Platform } from '../agents/environment.ts'
import { inHome, joinIn, localApplicationData, stateHome, variable } from '../agents/environment.ts'
import { agents } from '../agents/index.ts'
import { RethreadError } from '../model/errors.ts'
import type { Log } from './log.ts'
import { makeLog } from './log.ts'

export interface Context {
  agents: readonly Agent[]
  environment: Environment
  /** Our own folder. */
  state: string
  log: Log
  /** How long a locked database is waited for; the stores' own default unless given. */
  busyMs?: number
}

export interface ContextOptions {
  /** Treat this folder as the person's home: stores are looked for below it alone, and no variable moves them. */
  home?: string
  state?: string
  logLevel?: string
}

export function makeContext(options: ContextOptions = {}): Context {
  const environment = makeEnvironment(options.home)
  const state = resolve(options.state ?? process.env['RETHREAD_STATE_DIR'] ?? stateOf(environment))
  return { agents, environment, state, log: makeLog(state, options.logLevel) }
}

function makeEnvironment(home: string | undefined): Environment {
  return {
    home: home === undefined ? homedir() : resolve(home),
    platform: supportedPlatform(),
    variables: home === undefined ? process.env : {},
  }
}

function supportedPlatform(): Platform {
  const { platform } = process
  // Other Unixes keep their files as Linux does.
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
