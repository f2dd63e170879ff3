// Completes a base config: fields that are wrong or missing are filled in from other configs.
// Every other byte stays unchanged.
import type { Edit } from '../../../bytes/edits.ts'
import { parseJson } from '../../../bytes/json.ts'
import { asNumber, asObject, asText } from '../../stores/values.ts'
import { checkBaseConfig } from '../classify/shape-config.ts'
import type { ConfigSource } from './config-sources.ts'
import { isSoundConfig } from './config-sources.ts'
import { applyEdits, putValue, removeMember, spanAt } from './json-spans.ts'

interface Refilled {
  bytes: Buffer
  filled: Filled[]
}

interface Filled {
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
function valueIn({ bytes }: ConfigSource, keys: readonly string[]): Buffer | undefined {
  const [first = '', ...rest] = keys
  const span =
    first === BASE
      ? (spanAt(bytes, keys) ?? spanAt(bytes, rest))
      : (spanAt(bytes, keys) ?? spanAt(bytes, [BASE, ...keys]))
  return span === undefined ? undefined : bytes.subarray(span.start, span.end)
}

const BASE = 'base'

/** Each is asked for once, and only when one before it has not helped: some cost a process. */
function memoize<T extends object>(source: Iterable<T>): Iterable<T> {
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

const TOOLS = ['conversation', 'tools']
/** The settings of all tools that have none of their own. */
const DEFAULTS = '*'
const SOURCE = 'source'

/** `sources` best first; the last of them is complete. */
export function bestConfig(sources: Iterable<ConfigSource>): ConfigSource {
  const all = memoize(sources)
  let place = 0
  for (const source of all) {
    place++
    if (!source.isPartial && isSoundConfig(source.bytes)) return source
    const whole = complete(source, sourcesAfter(all, place))
    if (whole !== undefined) return whole
  }
  throw new Error('There always is a source for a config.')
}

function sourcesAfter<T>(all: Iterable<T>, place: number): Iterable<T> {
  return {
    *[Symbol.iterator]() {
      let at = 0
      for (const item of all) if (at++ >= place) yield item
    },
  }
}

/** Undefined where it cannot be made one that JP loads. */
function complete(source: ConfigSource, others: Iterable<ConfigSource>): ConfigSource | undefined {
  const refilled = refillConfig(source.bytes, others)
  if (refilled === undefined) return undefined
  const { bytes, filled, dropped } = withToolSources(refilled, others)
  return isSoundConfig(bytes) ? { ...source, bytes, name: source.name + describe(filled, dropped) } : undefined
}

/** JP loads no config with a tool of which it does not say what it is. */
function withToolSources(refilled: Refilled, others: Iterable<ConfigSource>): Refilled & { dropped: string[] } {
  const result = { bytes: refilled.bytes, filled: [...refilled.filled], dropped: [] as string[] }
  for (const name of toolsWithoutSource(refilled.bytes)) {
    const keys = [...TOOLS, name, SOURCE]
    const found = findValue(keys, others)
    const edit =
      found === undefined ? removeMember(result.bytes, [...TOOLS, name]) : putValue(result.bytes, keys, found.value)
    if (edit === undefined) continue
    result.bytes = applyEdits(result.bytes, [edit])
    if (found === undefined) result.dropped.push(name)
    else result.filled.push({ field: keys.join('.'), source: found.source })
  }
  return result
}

function toolsWithoutSource(bytes: Buffer): string[] {
  const tools = asObject(asObject(asObject(parseJson(bytes))?.['conversation'])?.['tools']) ?? {}
  return Object.entries(tools).flatMap(([name, tool]) =>
    name === DEFAULTS || asText(asObject(tool)?.[SOURCE]) !== undefined ? [] : [name],
  )
}

function findValue(
  keys: readonly string[],
  sources: Iterable<ConfigSource>,
): { value: Buffer; source: string } | undefined {
  for (const source of sources) {
    const value = valueIn(source, keys)
    if (value !== undefined) return { value, source: source.name }
  }
  return undefined
}

function describe(filled: readonly Filled[], dropped: readonly string[]): string {
  const sources = [...new Set(filled.map(({ source }) => source))]
  const parts = sources.map(source => {
    const fields = filled.filter(one => one.source === source).map(({ field }) => field)
    return `, with ${fields.join(' and ')} from ${source}`
  })
  const without = dropped.length === 0 ? '' : `, without ${dropped.join(' and ')}: no source of these tools is known`
  return parts.join('') + without
}
