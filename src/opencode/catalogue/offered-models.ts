// The models that an agent offers in a session, and the request that chooses one. Agents use one of two
// forms.
import { asFields } from '../../journal/envelope.ts'

export interface OfferedModel {
  id: string
  name: string
}

export interface OfferedModels {
  current: string | undefined
  models: OfferedModel[]
  /** The request that chooses a model, without the session id. */
  request(id: string): { method: string; params: object }
}

/** `answer`: to the request that started or restored the session. Undefined where it names no models. */
export function readOfferedModels(answer: unknown): OfferedModels | undefined {
  return fromOptions(asFields(answer)['configOptions']) ?? fromModels(asFields(answer)['models'])
}

function fromOptions(options: unknown): OfferedModels | undefined {
  const option = listOf(options)
    .map(asFields)
    .find(({ category }) => category === 'model')
  const { id: configId, currentValue } = option ?? {}
  if (typeof configId !== 'string') return undefined
  // Options may be grouped.
  const choices = listOf(option?.['options']).flatMap(choice => {
    const { options: grouped } = asFields(choice)
    return grouped === undefined ? [choice] : listOf(grouped)
  })
  return {
    current: textOf(currentValue),
    models: namedModels(choices, 'value'),
    request: value => ({ method: 'session/set_config_option', params: { configId, value } }),
  }
}

function fromModels(models: unknown): OfferedModels | undefined {
  const { availableModels, currentModelId } = asFields(models)
  if (!Array.isArray(availableModels)) return undefined
  return {
    current: textOf(currentModelId),
    models: namedModels(availableModels, 'modelId'),
    request: modelId => ({ method: 'session/set_model', params: { modelId } }),
  }
}

function namedModels(choices: readonly unknown[], key: 'value' | 'modelId'): OfferedModel[] {
  return choices.flatMap(choice => {
    const { [key]: id, name } = asFields(choice)
    return typeof id === 'string' ? [{ id, name: textOf(name) ?? id }] : []
  })
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
