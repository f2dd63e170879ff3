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
  /** The path of the field, with dots between the names. */
  field: string
  /** The name of the source in the report. */
  source: string
}

/**
 * A fix can uncover another problem below it. Beyond this many, too little of the original config would be
 * left.
 */
const MAX_FIELDS = 200

/**
 * Returns undefined if the config cannot be repaired field by field. The sources are tried in order; the last
 * one is complete.
 */
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

/** The overrides of another conversation do not apply here. */
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

/** Returns the stored value at these keys. The config of a source may be below `base`. */
function valueIn({ bytes }: ConfigSource, keys: readonly string[]): Buffer | undefined {
  const [first = '', ...rest] = keys
  const span =
    first === BASE
      ? (spanAt(bytes, keys) ?? spanAt(bytes, rest))
      : (spanAt(bytes, keys) ?? spanAt(bytes, [BASE, ...keys]))
  return span === undefined ? undefined : bytes.subarray(span.start, span.end)
}

const BASE = 'base'

/** Reads each item once, and only when it is needed: some sources start a process. */
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

/** Splits a path at its dots, where a key may contain dots too. Returns undefined for a path through a list. */
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

/** Converts `{secs, nanos}`, the form in which earlier versions wrote a duration. */
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
/** The key of the settings for all tools without settings of their own. */
const DEFAULTS = '*'
const SOURCE = 'source'

/** `sources` are in order of preference. The last one is complete. */
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

/** Returns undefined if JP would still not load the result. */
function complete(source: ConfigSource, others: Iterable<ConfigSource>): ConfigSource | undefined {
  const refilled = refillConfig(source.bytes, others)
  if (refilled === undefined) return undefined
  const { bytes, filled, dropped } = withToolSources(refilled, others)
  return isSoundConfig(bytes) ? { ...source, bytes, name: source.name + describe(filled, dropped) } : undefined
}

/** JP does not load a config in which a tool has no source. Adds the missing sources, or removes the tool. */
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
