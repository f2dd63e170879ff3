// base_config.json and init_config.json. JP reads a config with one value of a wrong type as an empty one, and then misses what it needs.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject } from '../../stores/values.ts'
import { parseTime } from '../times.ts'
import type { Mismatch } from './shapes.ts'
import { expected, isText, valueAt } from './shapes.ts'

const RUN = ['ask', 'unattended', 'edit', 'skip']
const ENABLE = ['on', 'off', 'always', 'explicit']
/** What keeps the settings of all tools that have none of their own. */
const ALL_TOOLS = '*'

/** The three shapes of base_config.json that are known: flat (all versions so far), `{base, init}` (accepted, not built), and none of them. */
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

/** A ConfigDelta, or several; missing is normal and not asked here. */
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

/** A config from which JP can start: what is required may also come from the overrides that were given at the start. */
function checkResolved(value: unknown, init?: unknown): Mismatch[] {
  const config = asObject(value)
  if (config === undefined) return [expected('', 'an object', value)]
  const deltas = (asArray(init) ?? []).flatMap((delta): Json[] => {
    const changes = asObject(asObject(delta)?.['delta'])
    return changes === undefined ? [] : [changes]
  })
  return [...checkRequired([config, ...deltas]), ...checkLeaves(config, 'base')]
}

/** Of the config in the first event of an older layout, only what JP cannot do without: such values are full of earlier types, and nothing there is ever rewritten. */
export function checkUsable(value: unknown): Mismatch[] {
  const config = asObject(value)
  if (config === undefined) return [expected('', 'an object', value)]
  return [...checkRequired([config]), ...checkModel(valueAt(config, 'assistant.model.id'), 'base')]
}

function checkRequired(layers: Json[]): Mismatch[] {
  const missing = (path: string): boolean => layers.every(layer => valueAt(layer, path) === undefined)
  const wrong: Mismatch[] = []
  if (missing('assistant.model.id')) wrong.push(expected('assistant.model.id', '', undefined))
  // A tool's name can hold a dot, and `*` is a name like any other.
  const runs = layers.some(layer => toolsOf(layer)?.[ALL_TOOLS] !== undefined)
  if (!runs) wrong.push(expected('conversation.tools.*.run', '', undefined))
  return wrong
}

/** Changes need not say what a base has to. */
type Part = 'base' | 'delta'

/** The values that came in another type in earlier versions, or that a hand easily gets wrong. The other hundred are JP's own business. */
function checkLeaves(config: Json, part: Part): Mismatch[] {
  return [
    ...checkModel(valueAt(config, 'assistant.model.id'), part),
    ...checkTools(config, part),
    ...checkTypewriter(valueAt(config, 'style.typewriter')),
    ...checkSections(config),
  ]
}

/** A change of the model may be one of its name alone. */
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

/** A map that says how it is merged has its entries one level below. */
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

/** Were `{secs, nanos}` once, and are `"3ms"` now. */
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
