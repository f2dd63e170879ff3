// One spelling for values that can be written in several ways, so that layers can be merged and compared.
// It is the spelling that JP writes.
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import { PROVIDERS } from '../schema/formats.ts'
import { isOpaque } from './fields.ts'

/** An alias may name another alias. A longer chain is treated as a circle. */
const MAX_ALIASES = 8

interface ModelId {
  provider: string
  name: string
}

/** Parses `provider/name` with a known provider. Everything else is an alias. */
export function parseModelId(text: string): ModelId | undefined {
  const border = text.indexOf('/')
  const [provider, name] = [text.slice(0, Math.max(border, 0)).trim(), text.slice(border + 1).trim()]
  return PROVIDERS.includes(provider) && name !== '' ? { provider, name } : undefined
}

/** Returns undefined if the alias does not lead to a model. */
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

/** Returns a copy without `null` values, which JP ignores. */
export function normalConfig(config: Json): Json {
  return normalObject(config, [])
}

function normalObject(object: Json, path: readonly string[]): Json {
  const result: Json = {}
  for (const [name, value] of Object.entries(object)) {
    if (value === null || value === undefined || name === '__proto__') continue
    result[name] = normalValue(value, [...path, name])
  }
  return result
}

function normalValue(value: unknown, path: readonly string[]): unknown {
  if (isEnable(path)) return normalEnable(value)
  if (typeof value === 'string' && isModel(path)) return parseModelId(value) ?? value
  const object = asObject(value)
  return object === undefined ? structuredClone(value) : normalObject(object, path)
}

function isEnable(path: readonly string[]): boolean {
  return path.length === 4 && path[0] === 'conversation' && path[1] === 'tools' && path[3] === 'enable'
}

function isModel(path: readonly string[]): boolean {
  if (isOpaque(path)) return false
  if (path.length === 4 && path.slice(0, 3).join('.') === 'providers.llm.aliases') return true
  return path.at(-1) === 'id' && /^(model|summary_model)$/.test(path.at(-2) ?? '')
}

/**
 * Returns a copy in which `change` replaces every model. A model for which it returns undefined is removed.
 */
export function mapModels(
  config: Json,
  change: (id: unknown, path: readonly string[]) => unknown,
  path: readonly string[] = [],
): Json {
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
      const here = [...path, name]
      const inner = asObject(value)
      const changed = isModel(here) ? change(value, here) : inner === undefined ? value : mapModels(inner, change, here)
      return changed === undefined ? [] : [[name, changed]]
    }),
  )
}

const ENABLE: Record<string, Json> = {
  true: { state: true, allow_toggle: 'any' },
  on: { state: true, allow_toggle: 'any' },
  false: { state: false, allow_toggle: 'any' },
  off: { state: false, allow_toggle: 'any' },
  always: { state: true, allow_toggle: 'never' },
  explicit: { state: false, allow_toggle: 'if_named' },
}

/** Returns any other value unchanged; a check reports it. */
export function normalEnable(value: unknown): unknown {
  const word = typeof value === 'boolean' || typeof value === 'string' ? String(value) : ''
  if (Object.hasOwn(ENABLE, word)) return { ...ENABLE[word] }
  const table = asObject(value)
  // An earlier version put the word into the table.
  const state = asObject(ENABLE[String(table?.['state'])])?.['state']
  return table === undefined ? value : { ...table, ...(state === undefined ? {} : { state }) }
}
