// Settings that clients store on the server: appearance and default model. Kept until the server stops.
import { z } from 'zod'
import type { Catalogue, ModelChoice } from './catalogue/catalogue.ts'
import { badRequest, unsupported } from './errors.ts'

/** The keys that have an effect here. All others belong to the agents' own configuration. */
const SETTABLE = ['theme', 'keybinds', 'tui', 'username', 'model', 'small_model', 'default_agent', 'layout'] as const
const SETTABLE_NAMES: ReadonlySet<string> = new Set([...SETTABLE, '$schema'])
const modelSchema = z.string().regex(/^[^/]+\/.+$/, 'must be PROVIDER/MODEL')

export class ClientConfig {
  readonly #catalogue: Catalogue
  #settings: Record<string, unknown> = {}

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
  }

  /**
   * rethread shares nothing and does not update itself. With `share` disabled, the terminal client would send
   * `/share` to the agent as a message, and not show why nothing is shared.
   */
  get(): Record<string, unknown> {
    return { share: 'manual', autoupdate: false, ...this.#settings }
  }

  change(config: Record<string, unknown>): Record<string, unknown> {
    const refused = Object.keys(config).filter(name => !SETTABLE_NAMES.has(name))
    if (refused.length > 0)
      throw unsupported(
        `This cannot be set here: ${refused.join(', ')}. Agents keep their own configuration.`,
        `What can be set: ${SETTABLE.join(', ')}.`,
      )
    if (config['model'] !== undefined) this.#readModel(config['model'])
    this.#settings = { ...this.#settings, ...config }
    return this.get()
  }

  /** The model for sessions whose client names none. */
  get defaultChoice(): ModelChoice {
    const { model } = this.#settings
    return model === undefined ? this.#catalogue.defaultChoice : this.#readModel(model)
  }

  #readModel(value: unknown): ModelChoice {
    const text = modelSchema.parse(value)
    const slash = text.indexOf('/')
    const providerID = text.slice(0, slash)
    if (!this.#catalogue.has(providerID)) throw badRequest(`There is no provider ${providerID}.`)
    return { providerID, modelID: text.slice(slash + 1) }
  }
}
