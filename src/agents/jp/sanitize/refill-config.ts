// A base config in which single fields are wrong or missing: these are filled in from another config, and every other byte stays as it is.
import type { Edit } from '../../../bytes/edits.ts'
import { parseJson } from '../../../bytes/json.ts'
import { asNumber, asObject } from '../../stores/values.ts'
import { checkBaseConfig } from '../classify/shape-config.ts'
import type { ConfigSource } from './config-sources.ts'
import { applyEdits, putValue, removeMember, spanAt } from './json-spans.ts'

export interface Refilled {
  bytes: Buffer
  filled: Filled[]
}

export interface Filled {
  /** With dots between. */
  field: string
  /** As the report names it. */
  source: string
}

/** One fix can uncover what is wrong below it; more than this, and little of it would be its own. */
const MAX_FIELDS = 200

/** Undefined where it cannot be done field by field. `sources` are tried in order, the last of them is complete. */
export function refillConfig(damaged: Buffer, sources: Iterable<ConfigSource>): Refilled | undefined {
  const known = memoize(sources)
  const refilled: Refilled = { bytes: damaged, filled: [] }
  for (let round = 0; round < MAX_FIELDS; round++) {
    const value = parseJson(refilled.bytes)
    const [wrong] = checkBaseConfig(value)
    if (wrong === undefined) return refilled
    const isInit = /^init\b/.test(wrong.path) && asObject(value)?.['init'] !== undefined
    const keys = isInit ? undefined : resolvePath(value, wrong.path)
    const fix = isInit ? emptyInit(refilled.bytes) : keys && fixField(refilled.bytes, keys, known)
    if (fix === undefined) return undefined
    refilled.bytes = applyEdits(refilled.bytes, [fix.edit])
    refilled.filled.push({ field: isInit ? INIT : wrong.path, source: fix.source })
  }
  return undefined
}

const INIT = 'init'

/** Those of another conversation are none of this one's. */
function emptyInit(bytes: Buffer): Fix | undefined {
  const edit = putValue(bytes, [INIT], Buffer.from('[]'))
  return edit && { edit, source: 'an empty list, as they cannot be read' }
}

interface Fix {
  edit: Edit
  source: string
}

function fixField(bytes: Buffer, keys: readonly string[], sources: Iterable<ConfigSource>): Fix | undefined {
  const there = spanAt(bytes, keys)
  const duration = there === undefined ? undefined : asDuration(parseJson(bytes.subarray(there.start, there.end)))
  if (there !== undefined && duration !== undefined)
    return { edit: { ...there, bytes: Buffer.from(JSON.stringify(duration)) }, source: 'its own value of before' }
  for (const source of sources) {
    const value = valueIn(source, keys)
    const edit = value === undefined ? undefined : putValue(bytes, keys, value)
    if (edit !== undefined) return { edit, source: source.name }
  }
  const edit = removeMember(bytes, keys)
  return edit === undefined ? undefined : { edit, source: "JP's own default" }
}

/** What a source says there, as it is stored. A config can be one part of a file of two. */
export function valueIn({ bytes }: ConfigSource, keys: readonly string[]): Buffer | undefined {
  const [first = '', ...rest] = keys
  const span =
    first === BASE
      ? (spanAt(bytes, keys) ?? spanAt(bytes, rest))
      : (spanAt(bytes, keys) ?? spanAt(bytes, [BASE, ...keys]))
  return span === undefined ? undefined : bytes.subarray(span.start, span.end)
}

const BASE = 'base'

/** Each is asked for once, and only when one before it has not helped: some cost a process. */
export function memoize<T extends object>(source: Iterable<T>): Iterable<T> {
  const seen: T[] = []
  const rest = source[Symbol.iterator]()
  const item = (at: number): T | undefined => {
    const next = at < seen.length ? undefined : rest.next()
    if (next !== undefined && !next.done) seen.push(next.value)
    return seen[at]
  }
  return {
    *[Symbol.iterator]() {
      for (let at = 0, value = item(at); value !== undefined; value = item(++at)) yield value
    },
  }
}

/** The keys of a path with dots between, where a key may hold dots itself. Undefined for what is not below objects alone. */
function resolvePath(value: unknown, path: string): string[] | undefined {
  if (path === '' || path.includes('[')) return undefined
  const keys: string[] = []
  let rest = path
  let here = asObject(value)
  while (rest !== '') {
    const fits = (key: string): boolean => rest === key || rest.startsWith(`${key}.`)
    const known = Object.keys(here ?? {}).filter(fits)
    const key = known.toSorted((a, b) => b.length - a.length)[0] ?? rest.split('.')[0] ?? rest
    keys.push(key)
    here = asObject(here?.[key])
    rest = rest.slice(key.length + 1)
  }
  return keys
}

const UNITS: [string, number][] = [
  ['s', 1e9],
  ['ms', 1e6],
  ['us', 1e3],
  ['ns', 1],
]

/** `{secs, nanos}`, as earlier versions wrote a duration. */
function asDuration(value: unknown): string | undefined {
  const map = asObject(value)
  const secs = asNumber(map?.['secs'])
  const nanos = asNumber(map?.['nanos'])
  if (secs === undefined || nanos === undefined) return undefined
  const total = secs * 1e9 + nanos
  if (!Number.isSafeInteger(total) || total < 0) return undefined
  const [unit, size] = UNITS.find(([, candidate]) => total % candidate === 0) ?? ['ns', 1]
  return `${total / size}${unit}`
}
