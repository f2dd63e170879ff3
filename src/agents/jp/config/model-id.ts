// Which model is meant: in full, by a short name that the configuration explains, or in a text with a slash.
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'

export const PROVIDERS = [
  ...['anthropic', 'cerebras', 'deepseek', 'google', 'llamacpp', 'ollama', 'openai', 'openrouter', 'vllm', 'xai'],
]
/** An alias may name another one; more than this is a circle. */
const MAX_ALIASES = 8

export interface ModelId {
  provider: string
  name: string
}

/** `provider/name` with a provider that JP has. Everything else is an alias. */
export function parseModelId(text: string): ModelId | undefined {
  const border = text.indexOf('/')
  const [provider, name] = [text.slice(0, Math.max(border, 0)).trim(), text.slice(border + 1).trim()]
  return PROVIDERS.includes(provider) && name !== '' ? { provider, name } : undefined
}

/** Undefined where it leads to no model. */
export function resolveModelId(id: unknown, aliases: Json): ModelId | undefined {
  let current: unknown = id
  for (let count = 0; count <= MAX_ALIASES; count++) {
    const model = asObject(current)
    const [provider, name] = [asText(model?.['provider']), asText(model?.['name'])]
    if (provider !== undefined && name !== undefined) return { provider, name }
    const text = asText(current)
    if (text === undefined) return undefined
    const direct = parseModelId(text)
    if (direct !== undefined && !Object.hasOwn(aliases, text)) return direct
    current = Object.hasOwn(aliases, text) ? aliases[text] : undefined
  }
  return undefined
}
