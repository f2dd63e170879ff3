// Models and how much they think: what `-m`, `-r` and `-p` write.
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import { PROVIDERS, resolveModelId } from '../config/model-id.ts'
import { reasoningOf } from '../config/typed-value.ts'
import { parseAssignment } from './cfg-argument.ts'
import type { Delta } from './delta.ts'
import { WrongFlag } from './delta.ts'

export const MODEL = ['assistant', 'model', 'id']
const PARAMETERS = ['assistant', 'model', 'parameters']
const ALIASES = ['providers', 'llm', 'aliases']

/** JP keeps resolved models only: an alias that it cannot resolve later ends it. */
export function resolveModels(delta: Delta): void {
  const aliases = asObject(delta.get(ALIASES)) ?? {}
  delta.resolveModels(id => resolveModelId(id, aliases) ?? wrongModel(id, aliases))
}

function wrongModel(name: string, aliases: Json): never {
  const known = Object.keys(aliases)
  throw new WrongFlag(
    `${name} is neither provider/name nor an alias in the conversation's configuration${known.length === 0 ? '' : ` (${known.join(', ')})`}. Write it in full, such as -m anthropic/NAME. Providers: ${PROVIDERS.join(', ')}`,
  )
}

export function setReasoning(delta: Delta, text: string): void {
  delta.set([...PARAMETERS, 'reasoning'], reasoningOf(text))
}

export function setParameter(delta: Delta, argument: string): void {
  const parsed = parseAssignment(argument)
  if (parsed.type !== 'assignment') throw new WrongFlag(parsed.type === 'wrong' ? parsed.text : argument)
  const { key, value, isMerge } = parsed.assignment
  delta.assign({ key: [...PARAMETERS, key].join('.'), value, isMerge })
}
