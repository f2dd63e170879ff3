// The agents that can be talked to over ACP: those that are known, those a person configured, and one that is always there to try things with.
import { findCommand, type Variables } from '../../disk/processes/find-command.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste, quote } from '../../model/paste.ts'
import type { AgentConfig } from '../config.ts'
import type { AgentCommand } from './agent-process.ts'

export interface ConfiguredAgent extends AgentCommand {
  isInstalled: boolean
  source: 'default' | 'config' | 'built-in'
  /** The id of the agent whose own store it writes, where that is known. */
  store?: string
  /** Those that are known before it was ever asked, its own choice first. */
  models?: readonly AgentModel[]
}

export interface AgentModel {
  id: string
  name: string
  family: string
}

export interface AcpAgents {
  /** Whether each is installed is looked up with every call. */
  list(): ConfiguredAgent[]
  /** Throws `usage` for a name that is not configured, `not-found` for one that is not installed. */
  get(name: string): AgentCommand
}

/** As an agent says itself. */
export interface DefaultAgent {
  name: string
  title: string
  command: string
  args: readonly string[]
  install?: string
  store: string
  models?: readonly AgentModel[]
}

export interface AgentsOptions {
  configured: Readonly<Record<string, AgentConfig>>
  defaults: readonly DefaultAgent[]
  mock: { command: string; args: readonly string[] }
  /** In which the programs are looked for: PATH. */
  variables: Variables
}

const MOCK = 'mock'
const MOCK_MODELS: readonly AgentModel[] = [{ id: MOCK, name: 'Mock', family: 'Mock' }]

type Known = Omit<ConfiguredAgent, 'isInstalled'>

/** A configured agent takes the place of the known one of its name, and keeps what it does not say otherwise. */
export function makeAgents(options: AgentsOptions): AcpAgents {
  const known = new Map<string, Known>()
  for (const agent of options.defaults) known.set(agent.name, { ...agent, env: {}, source: 'default' })
  const mock = { name: MOCK, title: 'Mock agent', ...options.mock, models: MOCK_MODELS }
  known.set(MOCK, { ...mock, env: {}, source: 'built-in' })
  for (const [name, agent] of Object.entries(options.configured))
    known.set(name, withDefaults(name, agent, known.get(name)))
  const isInstalled = ({ command }: Known): boolean => findCommand(command, '/', options.variables) !== undefined
  return {
    list: () => [...known.values()].map(agent => ({ ...agent, isInstalled: isInstalled(agent) })),
    get(name) {
      const agent = known.get(name)
      if (agent === undefined) throw notConfigured(name, [...known.keys()])
      if (!isInstalled(agent)) throw notInstalled(agent)
      const { source: _, store: __, models: ___, ...command } = agent
      return command
    },
  }
}

function withDefaults(name: string, agent: AgentConfig, before: Known | undefined): Known {
  const { command, args, env } = agent
  const store = agent.store ?? before?.store
  const title = agent.title ?? before?.title ?? name
  const models = before?.models
  return {
    name,
    title,
    command,
    args,
    env,
    source: 'config',
    ...(store === undefined ? {} : { store }),
    ...(models === undefined ? {} : { models }),
  }
}

function notConfigured(name: string, names: readonly string[]): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `No agent is configured with the name "${name}".`,
    hint: `Use one of: ${names.join(', ')}. To add another, edit the configuration file; see: rethread agents`,
  })
}

function notInstalled({ title, command, install }: Known): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `${title} is not installed: the program ${command} was not found.`,
    hint:
      install === undefined
        ? `Check whether it is installed: which ${quote(command)}. Check its path in the configuration file.`
        : `Install it: ${paste('npm install --global', install)}`,
  })
}
