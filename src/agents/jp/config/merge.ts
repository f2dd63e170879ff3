// Two layers of configuration become one, by JP's own rules: of values the later counts, objects are merged, some lists and texts are added to.
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asString } from '../../stores/values.ts'
import { mergingOf } from './fields.ts'
import { bare, bareList, unwrap } from './wrapped.ts'

/** Both in the normal spelling; `into` is changed, and holds nothing of `next` by reference. */
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
  const isOnce = wrapped?.isWithoutDoubles === true || unwrap(before, path)?.isWithoutDoubles === true || isSet(path)
  const fresh = structuredClone(isOnce ? added.filter(item => !includes(there, item)) : added)
  const list = (): unknown[] => {
    if (wrapped?.strategy === 'replace') return structuredClone(added)
    return wrapped?.strategy === 'prepend' ? [...fresh, ...there] : [...there, ...fresh]
  }
  return wrapped === undefined ? list() : { ...asObject(next), value: list() }
}

/** Lists in which JP keeps nothing twice. */
function isSet(path: readonly string[]): boolean {
  return path.at(-1) === 'config_load_paths' || path.at(-1) === 'attachments'
}

export function includes(list: readonly unknown[], item: unknown): boolean {
  return list.some(other => isDeepStrictEqual(other, item))
}

const SEPARATORS: Record<string, string> = { none: '', space: ' ', line: '\n', paragraph: '\n\n' }

/** A bare text replaces; one that says nothing else is added behind a blank line. */
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
