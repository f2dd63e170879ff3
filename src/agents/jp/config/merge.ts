// Merges layers of configuration by JP's rules, and computes the difference between two configurations.
// The later value wins, objects are merged, and some lists and texts are appended.
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../stores/values.ts'
import { asArray, asNumber, asObject, asString } from '../../stores/values.ts'
import { mergingOf } from './fields.ts'

/** Merges `next` into `into`. Both are in the normal spelling. `next` is copied, not shared. */
export function mergeConfig(into: Json, next: Json): void {
  mergeObject(into, next, [])
}

function mergeObject(into: Json, next: Json, path: readonly string[]): void {
  for (const [name, value] of Object.entries(next)) {
    if (value === null || value === undefined || name === '__proto__') continue
    const before = Object.hasOwn(into, name) ? into[name] : undefined
    into[name] = before === undefined ? structuredClone(value) : mergeValue(before, value, [...path, name])
  }
}

function mergeValue(before: unknown, next: unknown, path: readonly string[]): unknown {
  if (unwrap(before, path)?.isDiscarded) return structuredClone(next)
  switch (mergingOf(path)) {
    case 'text':
      return mergeText(before, next, path)
    case 'list':
      return mergeList(before, next, path)
    case 'plain':
      return mergePlain(before, next, path)
  }
}

function mergePlain(before: unknown, next: unknown, path: readonly string[]): unknown {
  const [there, wrapped] = [asObject(bare(before, path)), unwrap(next, path)]
  const added = asObject(wrapped === undefined ? next : wrapped.value)
  if (there === undefined || added === undefined) return structuredClone(next)
  const merged = mergeMaps(there, added, wrapped?.strategy, path)
  return wrapped === undefined ? merged : { ...asObject(next), value: merged }
}

function mergeMaps(before: Json, next: Json, strategy: string | undefined, path: readonly string[]): Json {
  switch (strategy) {
    case 'replace':
      return structuredClone(next)
    case 'merge':
      return structuredClone({ ...before, ...next })
    case 'keep':
      return structuredClone({ ...next, ...before })
    default: {
      const merged = structuredClone(before)
      mergeObject(merged, next, path)
      return merged
    }
  }
}

function mergeList(before: unknown, next: unknown, path: readonly string[]): unknown {
  const [there, wrapped] = [bareList(before, path), unwrap(next, path)]
  const added = asArray(wrapped === undefined ? next : wrapped.value)
  if (there === undefined || added === undefined) return structuredClone(next)
  const isOnce =
    wrapped?.isWithoutDoubles === true ||
    unwrap(before, path)?.isWithoutDoubles === true ||
    path.at(-1) === 'attachments'
  const fresh = structuredClone(isOnce ? added.filter(item => !includes(there, item)) : added)
  const list = (): unknown[] => {
    if (wrapped?.strategy === 'replace') return structuredClone(added)
    return wrapped?.strategy === 'prepend' ? [...fresh, ...there] : [...there, ...fresh]
  }
  return wrapped === undefined ? list() : { ...asObject(next), value: list() }
}

export function includes(list: readonly unknown[], item: unknown): boolean {
  return list.some(other => isDeepStrictEqual(other, item))
}

const SEPARATORS: Record<string, string> = { none: '', space: ' ', line: '\n', paragraph: '\n\n' }

/** A plain text replaces the old one. A wrapped text without a strategy is appended after a blank line. */
function mergeText(before: unknown, next: unknown, path: readonly string[]): unknown {
  const [there, wrapped] = [asString(bare(before, path)), unwrap(next, path)]
  const added = asString(wrapped?.value)
  if (wrapped === undefined || there === undefined || added === undefined) return structuredClone(next)
  return { ...asObject(next), value: join(there, added, wrapped.strategy, wrapped.separator) }
}

function join(before: string, next: string, strategy: string | undefined, separator: string | undefined): string {
  if (strategy === 'replace' || before === '') return next
  if (next === '') return before
  const between = SEPARATORS[separator ?? 'paragraph'] ?? ''
  return strategy === 'prepend' ? next + between + before : before + between + next
}

const ABOUT = ['strategy', 'separator', 'dedup', 'discard_when_merged']

interface Wrapped {
  value: unknown
  strategy: string | undefined
  separator: string | undefined
  /** The value is dropped as soon as another layer sets one. */
  isDiscarded: boolean
  isWithoutDoubles: boolean
}

/**
 * Unwraps `{value, strategy, …}`, a value that says how it is merged. Returns undefined for a plain value. A
 * map counts as wrapped only with a strategy, because `value` may be one of its keys.
 */
function unwrap(value: unknown, path: readonly string[]): Wrapped | undefined {
  const object = asObject(value)
  if (object === undefined || !('value' in object)) return undefined
  const names = Object.keys(object)
  if (!names.every(name => name === 'value' || ABOUT.includes(name))) return undefined
  if (mergingOf(path) === 'plain' && !isMapWithStrategy(object)) return undefined
  return {
    value: object['value'],
    strategy: asString(object['strategy']),
    separator: asString(object['separator']),
    isDiscarded: object['discard_when_merged'] === true,
    isWithoutDoubles: object['dedup'] === true,
  }
}

function isMapWithStrategy(object: Json): boolean {
  return asObject(object['value']) !== undefined && asString(object['strategy']) !== undefined
}

/** The value without its wrapper. */
export function bare(value: unknown, path: readonly string[]): unknown {
  return unwrap(value, path)?.value ?? value
}

export function bareList(value: unknown, path: readonly string[]): unknown[] | undefined {
  return asArray(bare(value, path))
}

export function settledConfig(config: Json): Json {
  return settledObject(config, [])
}

function settledObject(object: Json, path: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const here = [...path, name]
      const own = bare(value, here)
      const [inner, items] = [asObject(own), asArray(own)]
      if (items !== undefined) return [name, isOrdered(here) ? items.toSorted(byPosition) : items]
      return [name, inner === undefined ? own : withDefaults(settledObject(inner, here), here)]
    }),
  )
}

/** With an effort, the reasoning is shown by default. */
function withDefaults(object: Json, path: readonly string[]): Json {
  const isReasoning = path.slice(-3).join('.') === 'model.parameters.reasoning' && object['effort'] !== undefined
  return isReasoning ? { ...object, exclude: object['exclude'] ?? false } : object
}

/** Instructions are sorted by position. */
function isOrdered(path: readonly string[]): boolean {
  return path.at(-2) === 'assistant' && /^(instructions|system_prompt_sections)$/.test(path.at(-1) ?? '')
}

function byPosition(a: unknown, b: unknown): number {
  return (asNumber(asObject(a)?.['position']) ?? 0) - (asNumber(asObject(b)?.['position']) ?? 0)
}

/**
 * Returns what must be merged into `base` to get `next`, as in a `config_delta`. `base` is settled, and
 * `next` contains everything in `base`.
 */
export function diffConfig(base: Json, next: Json): Json {
  return diffObject(base, { settled: settledConfig(next), raw: next }, [])
}

interface Next {
  settled: Json
  /** The value with its wrappers. */
  raw: unknown
}

function diffObject(base: Json, { settled, raw }: Next, path: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(settled).flatMap(([name, value]): [string, unknown][] => {
      const before = Object.hasOwn(base, name) ? base[name] : undefined
      const change = diffValue(before, value, asObject(raw)?.[name], [...path, name])
      return change === undefined ? [] : [[name, change]]
    }),
  )
}

/** Returns undefined if nothing changes. */
function diffValue(base: unknown, next: unknown, raw: unknown, path: readonly string[]): unknown {
  if (isDeepStrictEqual(base, next)) return undefined
  const [before, after] = [asObject(base), asObject(next)]
  if (before !== undefined && after !== undefined) {
    const changes = diffObject(before, { settled: after, raw }, path)
    return Object.keys(changes).length === 0 ? undefined : changes
  }
  // A setting that is missing in the base has JP's default. A wrapped value must stay wrapped to be merged
  // with that default.
  if (base === undefined && isMeantForMore(raw, path)) return raw
  const items = mergingOf(path) === 'list' ? asArray(next) : undefined
  return items === undefined ? next : diffList(asArray(base) ?? [], items, path)
}

function isMeantForMore(raw: unknown, path: readonly string[]): boolean {
  const wrapped = unwrap(raw, path)
  if (wrapped === undefined) return false
  return mergingOf(path) === 'text' || wrapped.strategy === 'replace' || wrapped.strategy === 'prepend'
}

/** Lists in which the order does not matter, or which cannot be replaced. */
const ADDED_TO = ['envs', 'beta_headers', 'instructions', 'system_prompt_sections']

function diffList(base: readonly unknown[], next: readonly unknown[], path: readonly string[]): unknown {
  if (isDeepStrictEqual(next.slice(0, base.length), base)) return next.slice(base.length)
  const isKept = base.every(item => includes(next, item))
  if (isKept && ADDED_TO.includes(path.at(-1) ?? '')) return next.filter(item => !includes(base, item))
  return { value: next, strategy: 'replace' }
}
