// Chooses the agent and model of a session, and applies them in the agent.

import type { Conversations } from '../../journal/conversations.ts'
import { asFields } from '../../journal/envelope.ts'
import type { LiveConversation } from '../../journal/restore/restore.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Catalogue, ModelChoice } from '../catalogue/catalogue.ts'
import { readOfferedModels } from '../catalogue/offered-models.ts'
import { badRequest } from '../errors.ts'
import type { Session } from '../shapes/session.ts'

export interface NamedModel {
  model: ModelChoice | undefined
  agent: string | undefined
}

/** Undefined where the client leaves the model unchanged. `current`: the model of the session. */
export function chooseModel(
  catalogue: Catalogue,
  { model, agent }: NamedModel,
  current?: ModelChoice,
): ModelChoice | undefined {
  if (model !== undefined) {
    if (!catalogue.has(model.providerID)) throw noProvider(catalogue, model.providerID)
    const modelID = model.modelID === '' ? catalogue.defaultModel(model.providerID) : model.modelID
    return { providerID: model.providerID, modelID }
  }
  // Other agent names are modes of the client.
  if (agent === undefined || !catalogue.has(agent) || current?.providerID === agent) return undefined
  return { providerID: agent, modelID: catalogue.defaultModel(agent) }
}

function noProvider(catalogue: Catalogue, name: string) {
  return badRequest(`There is no provider ${name}.`, `Use one of: ${catalogue.names().join(', ')}`)
}

// Applies the chosen model and mode whenever the agent starts or restores the session.

type Chosen = Pick<Session, 'providerID' | 'modelID' | 'permissionMode'>

export class ChosenSettings {
  readonly #conversations: Conversations
  readonly #catalogue: Catalogue
  readonly #applied = new WeakSet<LiveConversation>()

  constructor(conversations: Conversations, catalogue: Catalogue) {
    this.#conversations = conversations
    this.#catalogue = catalogue
  }

  /** Throws `unsupported` for a model that the agent does not offer. */
  async apply(sessionId: string, live: LiveConversation, chosen: Chosen): Promise<void> {
    if (this.#applied.has(live)) return
    await this.#applyModel(sessionId, live, chosen)
    await this.#applyMode(sessionId, live, chosen)
    this.#applied.add(live)
  }

  async #applyModel(sessionId: string, { answer }: LiveConversation, { providerID, modelID }: Chosen): Promise<void> {
    const offered = readOfferedModels(answer)
    if (offered !== undefined) this.#catalogue.learnModels(providerID, offered.models)
    if (offered?.current === modelID) return
    if (offered?.models.some(({ id }) => id === modelID) === true) {
      const { method, params } = offered.request(modelID)
      await this.#conversations.request(sessionId, method, params)
      return
    }
    // The default may have a name that the agent does not know.
    if (modelID !== this.#catalogue.defaultModel(providerID))
      throw notOffered(
        modelID,
        (offered?.models ?? []).map(({ id }) => id),
      )
  }

  /** An unknown mode is ignored: the agent continues to ask for permissions. */
  async #applyMode(sessionId: string, { answer }: LiveConversation, { permissionMode }: Chosen): Promise<void> {
    const { availableModes, currentModeId } = asFields(asFields(answer)['modes'])
    const modes = (Array.isArray(availableModes) ? availableModes : []).map(mode => asFields(mode)['id'])
    if (permissionMode === undefined || currentModeId === permissionMode || !modes.includes(permissionMode)) return
    await this.#conversations.request(sessionId, 'session/set_mode', { modeId: permissionMode })
  }
}

function notOffered(modelID: string, models: readonly string[]): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `The agent does not offer the model ${modelID}.`,
    hint:
      models.length === 0
        ? 'It does not list any. Start a session with its default.'
        : `It offers: ${models.join(', ')}`,
  })
}
