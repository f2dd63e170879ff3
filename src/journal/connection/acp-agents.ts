// The agents that rethread can start over ACP: known ones, configured ones, and the built-in mock agent.
import type { AcpModel } from '../../agents/agent.ts'
import { findCommand, findNotExecutable, type Variables } from '../../disk/processes/find-command.ts'
import { RethreadError } from '../../model/errors.ts'
import type { AgentConfig } from '../config.ts'
import type { AgentCommand } from './agent-process.ts'
import { notExecutable, notInstalled } from './errors.ts'

export type { AcpModel }

export interface ConfiguredAgent extends AgentCommand {
  isInstalled: boolean
  source: 'default' | 'config' | 'built-in'
  /** The id of the agent whose store it writes, where known. */
  store?: string
  /** Models known before the agent was ever started, its default first. */
  models?: readonly AcpModel[]
}

export interface AcpAgents {
  /** Checks on every call whether each agent is installed. */
  list(): ConfiguredAgent[]
  /** Throws `usage` for a name that is not configured, and `not-found` for an agent that is not installed. */
  get(name: string): AgentCommand
  /**
   * The agent where none is named: the configured one, otherwise the first installed one, and the mock agent
   * only where there is no other.
   */
  defaultName(): string
}

/** An agent as it declares itself. */
export interface DefaultAgent {
  name: string
  title: string
  command: string
  args: readonly string[]
  install?: string
  login?: string
  store: string
  models?: readonly AcpModel[]
}

export interface AgentsOptions {
  /** The name of the default agent, as configured. */
  defaultAgent?: string | undefined
  configured: Readonly<Record<string, AgentConfig>>
  defaults: readonly DefaultAgent[]
  mock: { command: string; args: readonly string[] }
  /** The environment whose PATH is searched for programs. */
  variables: Variables
}

const MOCK = 'mock'
const MOCK_MODELS: readonly AcpModel[] = [{ id: MOCK, name: 'Mock', family: 'Mock' }]

type Known = Omit<ConfiguredAgent, 'isInstalled'>

/**
 * A configured agent replaces the known one of the same name, and keeps its title, store and models by
 * default.
 */
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
      if (!isInstalled(agent)) {
        const blocked = findNotExecutable(agent.command, '/', options.variables)
        throw blocked === undefined ? notInstalled(agent) : notExecutable(agent.title, blocked)
      }
      const { source: _, store: __, models: ___, ...command } = agent
      return command
    },
    defaultName() {
      const { defaultAgent } = options
      if (defaultAgent !== undefined && !known.has(defaultAgent)) throw notConfigured(defaultAgent, [...known.keys()])
      return defaultAgent ?? [...known.values()].find(agent => agent.name !== MOCK && isInstalled(agent))?.name ?? MOCK
    },
  }
}

function withDefaults(name: string, agent: AgentConfig, before: Known | undefined): Known {
  const { command, args, env } = agent
  const store = agent.store ?? before?.store
  const title = agent.title ?? before?.title ?? name
  const models = before?.models
  const login = before?.login
  return {
    name,
    title,
    command,
    args,
    env,
    source: 'config',
    ...(store === undefined ? {} : { store }),
    ...(login === undefined ? {} : { login }),
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
