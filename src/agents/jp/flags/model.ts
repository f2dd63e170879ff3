// Models and how much they think: what `-m`, `-r` and `-p` write.
import { asObject, asText } from '../../stores/values.ts'
import { parseAssignment } from './cfg-argument.ts'
import type { Delta } from './delta.ts'
import { guessed, WrongFlag } from './delta.ts'

const PROVIDERS = ['anthropic', 'cerebras', 'deepseek', 'google', 'llamacpp', 'ollama', 'openai', 'openrouter', 'xai']
const EFFORTS = ['none', 'max', 'xhigh', 'high', 'medium', 'low', 'xlow']
/** An alias may name another one; more than this is a circle. */
const MAX_ALIASES = 8

export const MODEL = ['assistant', 'model', 'id']
const PARAMETERS = ['assistant', 'model', 'parameters']
const REASONING = [...PARAMETERS, 'reasoning']
const ALIASES = ['providers', 'llm', 'aliases']

/** JP keeps resolved models only: an alias that it cannot resolve later ends it. */
export function resolveModel(delta: Delta): void {
  const id = asText(delta.own(MODEL))
  if (id !== undefined) delta.set(MODEL, modelOf(id, delta))
}

function modelOf(name: string, delta: Delta): { provider: string; name: string } {
  const aliases = asObject(delta.get(ALIASES)) ?? {}
  let current: unknown = name
  for (let count = 0; count <= MAX_ALIASES; count++) {
    const model = asObject(current)
    const [provider, ownName] = [asText(model?.['provider']), asText(model?.['name'])]
    if (provider !== undefined && ownName !== undefined) return { provider, name: ownName }
    const text = asText(current)
    const border = text?.indexOf('/') ?? -1
    if (text !== undefined && border > 0 && PROVIDERS.includes(text.slice(0, border)))
      return { provider: text.slice(0, border), name: text.slice(border + 1) }
    current = text !== undefined && Object.hasOwn(aliases, text) ? aliases[text] : undefined
  }
  const known = Object.keys(aliases)
  throw new WrongFlag(
    `${name} is neither provider/name nor an alias in the conversation's configuration${known.length === 0 ? '' : ` (${known.join(', ')})`}. Write it in full, such as -m anthropic/NAME. Providers: ${PROVIDERS.join(', ')}`,
  )
}

export function setReasoning(delta: Delta, text: string): void {
  delta.set(REASONING, reasoningOf(text))
}

function reasoningOf(text: string): unknown {
  if (text === 'off' || text === 'auto') return text
  if (EFFORTS.includes(text)) return { effort: text, exclude: false }
  const tokens = guessed(text)
  if (typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0)
    return { effort: { absolute: tokens }, exclude: false }
  throw new WrongFlag(`Reasoning is off, auto, ${EFFORTS.join(', ')}, or a number of tokens, and not ${text}`)
}

export function setParameter(delta: Delta, argument: string): void {
  const parsed = parseAssignment(argument)
  if (parsed.type !== 'assignment') throw new WrongFlag(parsed.type === 'wrong' ? parsed.text : argument)
  const { key, value, isMerge } = parsed.assignment
  const path = [...PARAMETERS, ...key.split('.')]
  if (key === 'reasoning' && value.type === 'text') setReasoning(delta, value.text)
  // Which parameters there are depends on the model; a number is never meant as a text here.
  else if (value.type === 'text' && !isMerge && delta.get(path) === undefined) delta.set(path, guessed(value.text))
  else delta.assign({ key: path.join('.'), value, isMerge })
}
