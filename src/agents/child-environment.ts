// The variables that what runs in a terminal gets: the person's own, without ours and without what describes another terminal.
import { delimiter } from 'node:path'
import { type Program, program, words } from '../model/program.ts'
import type { Agent } from './agent.ts'
import type { Environment } from './environment.ts'
import { inHome } from './environment.ts'
import { locationsOf } from './store.ts'

export interface ChildEnvironmentOptions {
  context: { agents: readonly Agent[]; environment: Environment }
  /** Ours; `process.env` unless given. */
  variables?: Variables
  /** A folder with programs that are found before all others. */
  pathFirst?: string
  /** What must not reach a child, under whatever name: the token. */
  secrets?: readonly string[]
}

export type Variables = Record<string, string | undefined>

/** Ours, and those of the npm script that may have started us. */
const OURS = /^(RETHREAD_|npm_|INIT_CWD$)/i
/** They describe the terminal or the multiplexer in which the server was started. */
const OF_ANOTHER_TERMINAL =
  /^(TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|TERM_PROGRAM|TERM_PROGRAM_VERSION|VTE_VERSION|TERM_SESSION_ID)$/
const OF_A_HOME = /^XDG_(CONFIG|DATA|STATE|CACHE)_HOME$/

export function childEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const variables = options.variables ?? process.env
  const { environment } = options.context
  const kept = Object.entries(variables).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !OURS.test(entry[0]) &&
      !OF_ANOTHER_TERMINAL.test(entry[0]) &&
      !holdsSecret(entry[1], options.secrets ?? []),
  )
  const moved = isHomeGiven(environment) ? withoutMoves(kept, options.context) : kept
  return {
    ...Object.fromEntries(moved),
    ...homeOf(environment),
    ...pathOf(Object.fromEntries(kept), options.pathFirst),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  }
}

function holdsSecret(value: string, secrets: readonly string[]): boolean {
  return secrets.some(secret => secret !== '' && value.includes(secret))
}

/** No variable moves a store then: the context has none at all. */
function isHomeGiven(environment: Environment): boolean {
  return Object.keys(environment.variables).length === 0
}

/** An agent in that home must not find its way back to the person's own stores through a variable. */
function withoutMoves(
  entries: readonly [string, string][],
  context: ChildEnvironmentOptions['context'],
): [string, string][] {
  const asked = variablesAsked(context)
  return entries.filter(([name]) => !asked.has(name) && !OF_A_HOME.test(name))
}

/** Which variables the agents look at to find their stores: none is set, so each falls through to its last alternative. */
function variablesAsked({ agents, environment }: ChildEnvironmentOptions['context']): Set<string> {
  const asked = new Set<string>()
  const variables = new Proxy<Variables>({}, { get: (_, name) => void asked.add(String(name)) })
  for (const agent of agents) locationsOf(agent, { ...environment, variables })
  return asked
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
  // Windows writes it "Path", and takes only one of two spellings.
  const name = Object.keys(variables).find(candidate => candidate.toUpperCase() === 'PATH') ?? 'PATH'
  const rest = variables[name]
  return { [name]: rest === undefined || rest === '' ? first : `${first}${delimiter}${rest}` }
}

/** For a terminal without an agent. */
export function personsShell(variables: Variables = process.env): Program {
  if (process.platform === 'win32') return program(variables['ComSpec'] ?? 'cmd.exe', words())
  const shell = variables['SHELL']
  return program(shell === undefined || shell === '' ? '/bin/sh' : shell, words())
}
