// What JP requires of a conversation's config as a whole: the base and the deltas, merged as JP merges them.
import type { Json } from '../../stores/values.ts'
import { asArray, asObject } from '../../stores/values.ts'
import { mergeConfig } from '../config/merge.ts'
import { normalConfig, normalEnable } from '../config/normal.ts'
import type { Key, Mismatch } from './check.ts'
import { absent, checkShape, checkValue, mismatch } from './check.ts'
import { ALL_TOOLS, CONFIG_SHAPE } from './config.ts'
import { TIME } from './formats.ts'
import type { Shape, Struct } from './shape.ts'
import { list, struct } from './shape.ts'

/**
 * Checks a config that a conversation starts from. JP takes one with a single wrong value for an empty one.
 */
export function checkBase(value: unknown): Mismatch[] {
  const wrong = checkValue(CONFIG_SHAPE, value)
  return wrong.length > 0 ? wrong : checkResolved(value)
}

/**
 * Checks the base with the deltas of the events. `jp query` fails if the result lacks something, although the
 * base alone loads. JP takes a delta that does not fit for an empty one.
 */
export function checkWithDeltas(base: unknown, deltas: readonly unknown[]): Mismatch[] {
  const alone = checkBase(base)
  if (alone.length > 0 || deltas.length === 0) return alone
  const merged = normalOf(base)
  for (const delta of deltas) if (checkValue(CONFIG_SHAPE, delta).length === 0) mergeConfig(merged, normalOf(delta))
  return checkResolved(merged)
}

function normalOf(config: unknown): Json {
  return normalConfig(asObject(withNames(CONFIG_SHAPE, config)) ?? {})
}

/**
 * A struct that is stored as a list of its values becomes an object. Members that JP ignores are left out.
 */
function withNames(shape: Shape, value: unknown): unknown {
  if (shape.type === 'optional') return withNames(shape.of, value)
  if (shape.type === 'either') {
    const fitting = shape.of.find(one => checkShape(one, value).length === 0)
    return fitting === undefined ? value : withNames(fitting, value)
  }
  if (shape.type !== 'struct') return value
  const items = asArray(value)
  const names = Object.keys(shape.fields)
  const members = items === undefined ? asObject(value) : Object.fromEntries(items.map((item, at) => [names[at], item]))
  const others = typeof shape.others === 'string' ? undefined : shape.others
  return Object.fromEntries(
    Object.entries(members ?? {}).flatMap(([name, item]) => {
      const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : others
      return field === undefined ? [] : [[name, withNames(field, item)]]
    }),
  )
}

/** Checks one delta with its time, or a list of them: the layout of a draft, which no JP reads. */
export function checkInit(value: unknown): Mismatch[] {
  const shape = struct({ timestamp: TIME, delta: { ...CONFIG_SHAPE, isOpen: true } }, ['delta'])
  return Array.isArray(value) ? checkShape(list(shape), value) : checkShape({ ...shape, takesList: false }, value)
}

function checkResolved(value: unknown): Mismatch[] {
  return [...findMissing(CONFIG_SHAPE, value, []), ...checkRules(value)]
}

/** Sections that a config always has are checked even if they are not stored. */
function findMissing(shape: Shape, value: unknown, keys: readonly Key[]): Mismatch[] {
  switch (shape.type) {
    case 'struct':
      return shape.isOpen ? [] : findInStruct(shape, value, keys)
    case 'optional':
      return value === undefined || value === null ? [] : findMissing(shape.of, value, keys)
    case 'either':
      return value === undefined ? [] : shape.of.flatMap(one => findMissing(one, value, keys))
    case 'list':
      return (asArray(value) ?? []).flatMap((item, index) => findMissing(shape.of, item, [...keys, index]))
    case 'map':
      return Object.entries(asObject(value) ?? {}).flatMap(([name, item]) =>
        findMissing(shape.of, item, [...keys, name]),
      )
    default:
      return []
  }
}

function findInStruct({ fields, required, others }: Struct, value: unknown, keys: readonly Key[]): Mismatch[] {
  const items = asArray(value)
  const members = asObject(value) ?? {}
  if (value !== undefined && items === undefined && asObject(value) === undefined) return []
  const known = Object.entries(fields).flatMap(([name, field], index) => {
    const here = [...keys, items === undefined ? name : index]
    const item = items === undefined ? members[name] : items[index]
    if (required.includes(name) && (item === undefined || item === null)) return [absent(here)]
    return findMissing(field, item, here)
  })
  if (typeof others === 'string') return known
  const more = Object.keys(members).filter(name => !Object.hasOwn(fields, name))
  return [...known, ...more.flatMap(name => findMissing(others, members[name], [...keys, name]))]
}

const LABEL = /^[A-Za-z][A-Za-z0-9_-]*$/
const IDLE = ['assistant', 'request', 'stream_idle_timeout_secs']
const SHORTEST_IDLE = 10
const TOOLS = ['conversation', 'tools']

/** The rules that JP checks after the types. */
function checkRules(value: unknown): Mismatch[] {
  const idle = valueAt(value, IDLE)
  const isIdleShort = typeof idle === 'number' && idle > 0 && idle < SHORTEST_IDLE
  return [
    ...(isIdleShort ? [mismatch(IDLE, `should be 0 or at least ${SHORTEST_IDLE}, and is ${idle}`)] : []),
    ...checkLabelNames(valueAt(value, ['conversation', 'labels'])),
    ...checkAccess(asObject(valueAt(value, TOOLS)) ?? {}),
    ...checkToolChoice(value),
  ]
}

function checkLabelNames(value: unknown): Mismatch[] {
  const labels = asObject(value) ?? {}
  const isMerged = Object.hasOwn(labels, 'value') && Object.hasOwn(labels, 'strategy')
  const keys = ['conversation', 'labels', ...(isMerged ? ['value'] : [])]
  return Object.keys(isMerged ? (asObject(labels['value']) ?? {}) : labels)
    .filter(name => !LABEL.test(name))
    .map(name => mismatch([...keys, name], 'is a name that JP does not take for a label'))
}

function checkAccess(tools: Record<string, unknown>): Mismatch[] {
  return Object.entries(tools).flatMap(([name, value]) => {
    const tool = asObject(value)
    if (name === ALL_TOOLS || !tool?.['access'] || String(tool['source']).split('.')[0] === 'local') return []
    return [mismatch([...TOOLS, name, 'access'], 'is only for local tools')]
  })
}

/** A tool that is switched off for good cannot be forced. */
function checkToolChoice(value: unknown): Mismatch[] {
  const keys = ['assistant', 'tool_choice']
  const name = valueAt(value, keys)
  const tool = typeof name === 'string' ? asObject(valueAt(value, [...TOOLS, name])) : undefined
  if (tool === undefined || name === ALL_TOOLS) return []
  const defaults = asObject(normalEnable(valueAt(value, [...TOOLS, ALL_TOOLS, 'enable'])))
  const enable = { ...defaults, ...asObject(normalEnable(tool['enable'])) }
  if (enable['state'] !== false || enable['allow_toggle'] !== 'never') return []
  return [mismatch(keys, `forces ${name}, which is switched off for good`)]
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((found: unknown, key) => asObject(found)?.[key], value)
}
