// A whole base config from the best source there is: what JP needs and that source does not say comes from those behind it.
import { parseJson } from '../../../bytes/json.ts'
import { asObject, asText } from '../../stores/values.ts'
import { type ConfigSource, isSoundConfig } from './config-sources.ts'
import { applyEdits, putValue, removeMember } from './json-spans.ts'
import { type Filled, memoize, type Refilled, refillConfig, valueIn } from './refill-config.ts'

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
