// The environment variables of a program in a terminal: the person's own, without rethread's and without
// those that describe another terminal.
import { delimiter } from 'node:path'
import type { Variables } from '../disk/processes/find-command.ts'
import { type Program, program, words } from '../model/program.ts'
import type { Agent } from './agent.ts'
import type { Environment } from './environment.ts'
import { inHome } from './environment.ts'
import { locationsOf } from './store.ts'

export interface ChildEnvironmentOptions {
  context: { agents: readonly Agent[]; environment: Environment }
  /** rethread's own variables. Default: `process.env`. */
  variables?: Variables
  /** A folder that comes first in the PATH of the child. */
  pathFirst?: string
  /** Values that must not reach a child under any name, such as the token. */
  secrets?: readonly string[]
}

/** Variables of rethread, and of the npm script that may have started it. */
const OURS = /^(RETHREAD_|npm_|INIT_CWD$)/i
/** Variables that describe the terminal or multiplexer in which the server was started. */
const OF_ANOTHER_TERMINAL =
  /^(TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|TERM_PROGRAM|TERM_PROGRAM_VERSION|VTE_VERSION|TERM_SESSION_ID)$/
const OF_A_HOME = /^XDG_(CONFIG|DATA|STATE|CACHE)_HOME$/

export function childEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const variables = options.variables ?? process.env
  const { environment } = options.context
  const inherited = Object.entries(variables).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !OURS.test(entry[0]) &&
      !OF_ANOTHER_TERMINAL.test(entry[0]) &&
      !holdsSecret(entry[1], options.secrets ?? []),
  )
  const moved = isHomeGiven(environment) ? withoutStoreVariables(inherited, options.context) : inherited
  return {
    ...Object.fromEntries(moved),
    ...homeOf(environment),
    ...pathOf(Object.fromEntries(inherited), options.pathFirst),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  }
}

function holdsSecret(value: string, secrets: readonly string[]): boolean {
  return secrets.some(secret => secret !== '' && value.includes(secret))
}

/** A context with a given home has no variables, so none of them moves a store. */
function isHomeGiven(environment: Environment): boolean {
  return Object.keys(environment.variables).length === 0
}

/** Removes the variables that would lead an agent from the given home back to the person's own stores. */
function withoutStoreVariables(
  entries: readonly [string, string][],
  context: ChildEnvironmentOptions['context'],
): [string, string][] {
  const names = variablesRead(context)
  return entries.filter(([name]) => !names.has(name) && !OF_A_HOME.test(name))
}

/**
 * The variables that agents read to find their stores. None is set here, so each agent tries all its
 * alternatives.
 */
export function variablesRead({ agents, environment }: ChildEnvironmentOptions['context']): Set<string> {
  const names = new Set<string>()
  const variables = new Proxy<Variables>({}, { get: (_, name) => void names.add(String(name)) })
  for (const agent of agents) locationsOf(agent, { ...environment, variables })
  return names
}

function homeOf(environment: Environment): Record<string, string> {
  if (environment.platform !== 'win32') return { HOME: environment.home }
  if (!isHomeGiven(environment)) return { USERPROFILE: environment.home }
  return {
    USERPROFILE: environment.home,
    APPDATA: inHome(environment, 'AppData', 'Roaming'),
    LOCALAPPDATA: inHome(environment, 'AppData', 'Local'),
  }
}

function pathOf(variables: Variables, first: string | undefined): Record<string, string> {
  if (first === undefined) return {}
  // Windows spells it "Path", and uses only one of two spellings.
  const name = Object.keys(variables).find(candidate => candidate.toUpperCase() === 'PATH') ?? 'PATH'
  const rest = variables[name]
  return { [name]: rest === undefined || rest === '' ? first : `${first}${delimiter}${rest}` }
}

/** The program for a terminal without an agent. */
export function personsShell(variables: Variables = process.env): Program {
  if (process.platform === 'win32') return program(variables['ComSpec'] ?? 'cmd.exe', words())
  const shell = variables['SHELL']
  return program(shell === undefined || shell === '' ? '/bin/sh' : shell, words())
}
