// The agents as the providers of clients, with their models: the known ones, and those that agents have
// offered since the start.
import type { AcpAgents, AcpModel } from '../../journal/connection/acp-agents.ts'
import type { OfferedModel } from './offered-models.ts'

export interface ModelChoice {
  providerID: string
  modelID: string
}

export interface Provider {
  id: string
  name: string
  source: 'custom'
  env: string[]
  options: Record<string, never>
  models: Record<string, ModelEntry>
}

export interface KnownCommand {
  name: string
  description: string
}

interface Known {
  name: string
  title: string
  models: readonly AcpModel[]
  isInstalled: boolean
  isBuiltIn: boolean
}

/** The agent's own default. */
const DEFAULT_MODEL = 'default'

export class Catalogue {
  readonly #agents: AcpAgents
  /** Default models by agent. They do not change while the server runs. */
  readonly #defaults: ReadonlyMap<string, string>
  readonly #learnt = new Map<string, readonly OfferedModel[]>()
  readonly #commands = new Map<string, readonly KnownCommand[]>()

  constructor(agents: AcpAgents) {
    this.#agents = agents
    this.#defaults = new Map(this.#list().map(({ name, models }) => [name, models[0]?.id ?? DEFAULT_MODEL]))
  }

  /** The default where a client names no model. */
  get defaultChoice(): ModelChoice {
    const name = this.#agents.defaultName()
    return { providerID: name, modelID: this.defaultModel(name) }
  }

  has(provider: string): boolean {
    return this.#defaults.has(provider)
  }

  isBuiltIn(provider: string): boolean {
    return this.#list().some(({ name, isBuiltIn }) => name === provider && isBuiltIn)
  }

  names(): string[] {
    return [...this.#defaults.keys()]
  }

  defaultModel(provider: string): string {
    return this.#defaults.get(provider) ?? DEFAULT_MODEL
  }

  defaults(): Record<string, string> {
    return Object.fromEntries(this.#defaults)
  }

  /** Installed agents first, then the built-in one, then the others. */
  providers(): { all: Provider[]; connected: string[] } {
    const known = this.#list().toSorted((a, b) => rank(a) - rank(b))
    return {
      all: known.map(agent => this.#provider(agent)),
      connected: known.filter(({ isInstalled }) => isInstalled).map(({ name }) => name),
    }
  }

  titleOf(provider: string): string {
    return this.#list().find(({ name }) => name === provider)?.title ?? provider
  }

  learnModels(provider: string, models: readonly OfferedModel[]): void {
    this.#learnt.set(provider, models)
  }

  learnCommands(provider: string, commands: readonly KnownCommand[]): void {
    this.#commands.set(provider, commands)
  }

  commands(): { provider: string; command: KnownCommand }[] {
    return [...this.#commands].flatMap(([provider, commands]) => commands.map(command => ({ provider, command })))
  }

  #provider({ name, title, models }: Known): Provider {
    const [first] = models
    const more = (this.#learnt.get(name) ?? []).map(model => ({ family: first?.family ?? title, ...model }))
    const all = [...models, ...more].map(model => [model.id, makeModelEntry(name, model)] as const)
    return { id: name, name: title, source: 'custom', env: [], options: {}, models: Object.fromEntries(all) }
  }

  #list(): Known[] {
    const configured = this.#agents.list().map(
      ({ name, title, models, isInstalled, source }): Known => ({
        name,
        title,
        models: models ?? [{ id: DEFAULT_MODEL, name: 'Default', family: title }],
        isInstalled,
        isBuiltIn: source === 'built-in',
      }),
    )
    const others = otherProviders.filter(({ name }) => !configured.some(agent => agent.name === name))
    return [...configured, ...others.map(other => ({ ...other, isInstalled: false, isBuiltIn: false }))]
  }
}

function rank({ isInstalled, isBuiltIn }: Known): number {
  if (!isInstalled) return 2
  return isBuiltIn ? 1 : 0
}

// A model as clients list it, in the flat form of one SDK and the nested form of the other. Cost and limits
// of an agent are not known.

const NO_COST = { input: 0, output: 0, cache: { read: 0, write: 0 }, cache_read: 0, cache_write: 0 }
/** Clients hide a limit of 0. */
const NO_LIMIT = { context: 0, output: 0 }
const INPUT = { text: true, audio: false, image: true, video: false, pdf: false }
const OUTPUT = { text: true, audio: false, image: false, video: false, pdf: false }

export type ModelEntry = ReturnType<typeof makeModelEntry>

function makeModelEntry(providerID: string, { id, name, family }: AcpModel) {
  return {
    id,
    providerID,
    name,
    family,
    api: { id, url: '', npm: '' },
    release_date: '',
    status: 'active' as const,
    attachment: true,
    reasoning: true,
    temperature: false,
    tool_call: true,
    modalities: { input: ['text', 'image'], output: ['text'] },
    capabilities: {
      temperature: false,
      reasoning: true,
      attachment: true,
      toolcall: true,
      input: INPUT,
      output: OUTPUT,
      interleaved: false,
    },
    cost: NO_COST,
    limit: NO_LIMIT,
    options: {},
    headers: {},
  }
}

// Providers that clients expect although rethread cannot start them. A configured agent of the same name
// replaces one.

export interface OtherProvider {
  name: string
  title: string
  models: readonly AcpModel[]
}

const otherProviders: readonly OtherProvider[] = [
  { name: 'pi', title: 'Pi', models: [{ id: 'default', name: 'Default', family: 'Pi' }] },
]
