// Which agent and model a client means: it names a model, or an agent, or leaves it as it is.
import type { Catalogue, ModelChoice } from '../catalogue/catalogue.ts'
import { badRequest } from '../errors.ts'

export interface NamedModel {
  model: ModelChoice | undefined
  agent: string | undefined
}

/** Undefined where it is left as it is. `current`: what the session has. */
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
  // Other words for an agent are those of a client for its own ways of working.
  if (agent === undefined || !catalogue.has(agent) || current?.providerID === agent) return undefined
  return { providerID: agent, modelID: catalogue.defaultModel(agent) }
}

function noProvider(catalogue: Catalogue, name: string) {
  return badRequest(`There is no provider ${name}.`, `Use one of: ${catalogue.names().join(', ')}`)
}
