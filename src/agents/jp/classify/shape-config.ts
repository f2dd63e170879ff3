// Checks base_config.json and init_config.json. JP treats a config with one value of the wrong type as empty,
// and then misses the required settings.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject } from '../../stores/values.ts'
import { parseTime } from '../times.ts'
import type { Mismatch } from './shapes.ts'
import { expected, isText, valueAt } from './shapes.ts'

const RUN = ['ask', 'unattended', 'edit', 'skip']
const ENABLE = ['on', 'off', 'always', 'explicit']
/** The key of the settings for all tools without settings of their own. */
const ALL_TOOLS = '*'

/**
 * Splits a base config. All versions so far write a flat one; `{base, init}` is accepted but not written yet.
 */
export function partsOfBaseConfig(value: unknown): { base: unknown; init: unknown; isSplit: boolean } {
  const config = asObject(value)
  if (config !== undefined && 'base' in config) return { base: config['base'], init: config['init'], isSplit: true }
  return { base: value, init: undefined, isSplit: false }
}

export function checkBaseConfig(value: unknown): Mismatch[] {
  const { base, init, isSplit } = partsOfBaseConfig(value)
  const prefix = isSplit ? 'base.' : ''
  const wrong = checkResolved(base, init).map(one => ({
    ...one,
    path: one.path === '' ? prefix.slice(0, -1) : prefix + one.path,
  }))
  return isSplit ? [...wrong, ...checkDeltas(init)] : wrong
}

/** Checks one ConfigDelta or a list of them. */
export function checkInitConfig(value: unknown): Mismatch[] {
  const list = asArray(value)
  if (list !== undefined) return list.flatMap((delta, index) => checkDelta(delta, `[${index}]`))
  return checkDelta(value, '')
}

function checkDeltas(init: unknown): Mismatch[] {
  if (init === undefined) return []
  const list = asArray(init)
  if (list === undefined) return [expected('init', 'an array', init)]
  return list.flatMap((delta, index) => checkDelta(delta, `init[${index}]`))
}

function checkDelta(value: unknown, path: string): Mismatch[] {
  const delta = asObject(value)
  if (delta === undefined) return [expected(path, 'an object', value)]
  const prefix = path === '' ? '' : `${path}.`
  const changes = asObject(delta['delta'])
  const isTimed = delta['timestamp'] === undefined || parseTime(delta['timestamp']) !== undefined
  return [
    ...(isTimed ? [] : [{ path: `${prefix}timestamp`, text: 'is not a time that JP reads' }]),
    ...(changes === undefined
      ? [expected(`${prefix}delta`, 'an object', delta['delta'])]
      : checkLeaves(changes, 'delta').map(wrong => ({ ...wrong, path: `${prefix}delta.${wrong.path}` }))),
  ]
}

/** Checks a config that JP can start from. The overrides in `init` may provide required settings. */
function checkResolved(value: unknown, init?: unknown): Mismatch[] {
  const config = asObject(value)
  if (config === undefined) return [expected('', 'an object', value)]
  const deltas = (asArray(init) ?? []).flatMap((delta): Json[] => {
    const changes = asObject(asObject(delta)?.['delta'])
    return changes === undefined ? [] : [changes]
  })
  return [...checkRequired([config, ...deltas]), ...checkLeaves(config, 'base')]
}

/**
 * Checks only the required settings of a config in the first event. Older layouts have values of earlier
 * types, which are never rewritten.
 */
export function checkUsable(value: unknown): Mismatch[] {
  const config = asObject(value)
  if (config === undefined) return [expected('', 'an object', value)]
  return [...checkRequired([config]), ...checkModel(valueAt(config, 'assistant.model.id'), 'base')]
}

function checkRequired(layers: Json[]): Mismatch[] {
  const missing = (path: string): boolean => layers.every(layer => valueAt(layer, path) === undefined)
  const wrong: Mismatch[] = []
  if (missing('assistant.model.id')) wrong.push(expected('assistant.model.id', '', undefined))
  // The name of a tool can contain a dot, and `*` is an ordinary name.
  const runs = layers.some(layer => toolsOf(layer)?.[ALL_TOOLS] !== undefined)
  if (!runs) wrong.push(expected('conversation.tools.*.run', '', undefined))
  return wrong
}

/** A delta need not have the settings that a base requires. */
type Part = 'base' | 'delta'

/**
 * Checks the values that had other types in earlier versions or are easily mistyped. All other settings are
 * left to JP.
 */
function checkLeaves(config: Json, part: Part): Mismatch[] {
  return [
    ...checkModel(valueAt(config, 'assistant.model.id'), part),
    ...checkTools(config, part),
    ...checkTypewriter(valueAt(config, 'style.typewriter')),
    ...checkSections(config),
  ]
}

/** A delta may change only the name of the model. */
function checkModel(id: unknown, part: Part): Mismatch[] {
  if (id === undefined || isText(id)) return []
  const model = asObject(id)
  if (model === undefined) return [expected('assistant.model.id', 'a name or an object', id)]
  return ['provider', 'name'].flatMap(name =>
    isText(model[name]) || (part === 'delta' && model[name] === undefined)
      ? []
      : [expected(`assistant.model.id.${name}`, 'a string', model[name])],
  )
}

function checkTools(config: Json, part: Part): Mismatch[] {
  const tools = toolsOf(config)
  const stored = valueAt(config, 'conversation.tools')
  if (tools === undefined) return stored === undefined ? [] : [expected('conversation.tools', 'an object', stored)]
  return Object.entries(tools).flatMap(([name, tool]) =>
    checkTool(`conversation.tools.${name}`, tool, name === ALL_TOOLS && part === 'base'),
  )
}

/** In a map with a merge strategy, the entries are one level below. */
function toolsOf(config: Json): Json | undefined {
  const tools = asObject(valueAt(config, 'conversation.tools'))
  return tools !== undefined && 'value' in tools && 'strategy' in tools ? asObject(tools['value']) : tools
}

function checkTool(path: string, value: unknown, needsRun: boolean): Mismatch[] {
  const tool = asObject(value)
  if (tool === undefined) return [expected(path, 'an object', value)]
  const { run, enable } = tool
  const wrong: Mismatch[] = []
  if (run === undefined ? needsRun : !isOneOf(RUN, run))
    wrong.push(run === undefined ? expected(`${path}.run`, '', run) : oneOf(`${path}.run`, RUN))
  if (
    isText(enable)
      ? !isOneOf(ENABLE, enable)
      : !(enable === undefined || typeof enable === 'boolean' || asObject(enable))
  )
    wrong.push(oneOf(`${path}.enable`, ['true', 'false', ...ENABLE]))
  return wrong
}

/** Earlier versions wrote `{secs, nanos}`; JP now reads `"3ms"`. */
function checkTypewriter(value: unknown): Mismatch[] {
  return Object.entries(asObject(value) ?? {}).flatMap(([name, delay]) =>
    asObject(delay) === undefined ? [] : [expected(`style.typewriter.${name}`, 'a duration such as "3ms"', delay)],
  )
}

const SECTIONS = [
  'assistant',
  'conversation',
  'style',
  'interrupt',
  'editor',
  'template',
  'providers',
  'plugins',
  'user',
]

function checkSections(config: Json): Mismatch[] {
  return SECTIONS.flatMap(name => {
    const section = config[name]
    return section === undefined || asObject(section) !== undefined ? [] : [expected(name, 'an object', section)]
  })
}

function isOneOf(list: readonly string[], value: unknown): boolean {
  return isText(value) && list.includes(value)
}

function oneOf(path: string, list: readonly string[]): Mismatch {
  return { path, text: `should be one of ${list.join(', ')}` }
}
