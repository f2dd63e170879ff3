// What has to be merged into one configuration to make another of it: what JP keeps as a `config_delta`.
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject } from '../../stores/values.ts'
import { mergingOf } from './fields.ts'
import { includes } from './merge.ts'
import { settledConfig } from './settle.ts'
import { unwrap } from './wrapped.ts'

/** `base` is settled; `next` is the same with something merged into it, so nothing is missing there. */
export function diffConfig(base: Json, next: Json): Json {
  return diffObject(base, { settled: settledConfig(next), raw: next }, [])
}

interface Next {
  settled: Json
  /** Before it was settled. */
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

/** Undefined where nothing changes. */
function diffValue(base: unknown, next: unknown, raw: unknown, path: readonly string[]): unknown {
  if (isDeepStrictEqual(base, next)) return undefined
  const [before, after] = [asObject(base), asObject(next)]
  if (before !== undefined && after !== undefined) {
    const changes = diffObject(before, { settled: after, raw }, path)
    return Object.keys(changes).length === 0 ? undefined : changes
  }
  // What the base does not say is JP's default: a value that says how it is merged with that has to go on saying so.
  if (base === undefined && isMeantForMore(raw, path)) return raw
  const items = mergingOf(path) === 'list' ? asArray(next) : undefined
  return items === undefined ? next : diffList(asArray(base) ?? [], items, path)
}

function isMeantForMore(raw: unknown, path: readonly string[]): boolean {
  const wrapped = unwrap(raw, path)
  if (wrapped === undefined) return false
  return mergingOf(path) === 'text' || wrapped.strategy === 'replace' || wrapped.strategy === 'prepend'
}

/** Lists in which the place does not count, or in which not every version can replace anything. */
const ADDED_TO = [
  ...['config_load_paths', 'envs', 'stop_words', 'beta_headers', 'instructions', 'system_prompt_sections'],
]

function diffList(base: readonly unknown[], next: readonly unknown[], path: readonly string[]): unknown {
  if (isDeepStrictEqual(next.slice(0, base.length), base)) return next.slice(base.length)
  const isKept = base.every(item => includes(next, item))
  if (isKept && ADDED_TO.includes(path.at(-1) ?? '')) return next.filter(item => !includes(base, item))
  return { value: next, strategy: 'replace' }
}
