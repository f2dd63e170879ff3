// Completes a base config: fields that are wrong or missing are filled in from other configs, or removed.
// Every other byte stays unchanged.
import type { Edit } from '../../../bytes/edits.ts'
import { applyEdits } from '../../../bytes/edits.ts'
import { putValue, removeMember, spanAt } from '../json-spans.ts'
import type { Key, Mismatch } from '../schema/check.ts'
import { parseExact } from '../schema/exact.ts'
import { checkWithDeltas } from '../schema/resolve.ts'
import type { ConfigSource } from './config-sources.ts'

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
 * one is complete. `deltas` are the changes in the events, which JP merges into the config.
 */
export function refillConfig(
  damaged: Buffer,
  sources: Iterable<ConfigSource>,
  deltas: readonly unknown[],
): Refilled | undefined {
  const known = memoize(sources)
  const refilled: Refilled = { bytes: damaged, filled: [] }
  let [wrong] = checkWithDeltas(parseExact(damaged), deltas)
  for (let round = 0; wrong !== undefined; round++) {
    const fix = round < MAX_FIELDS ? findFix(refilled.bytes, wrong, known, deltas) : undefined
    if (fix === undefined) return undefined
    refilled.bytes = fix.bytes
    refilled.filled.push({ field: fix.field, source: fix.source })
    ;[wrong] = fix.left
  }
  return refilled
}

interface Fix extends Filled {
  bytes: Buffer
  /** What is still wrong. */
  left: Mismatch[]
}

/** The first change after which the mismatch is gone. */
function findFix(
  bytes: Buffer,
  wrong: Mismatch,
  sources: Iterable<ConfigSource>,
  deltas: readonly unknown[],
): Fix | undefined {
  for (const { edit, keys, source } of candidates(bytes, wrong.keys, sources)) {
    if (edit === undefined) continue
    const changed = applyEdits(bytes, [edit])
    const left = checkWithDeltas(parseExact(changed), deltas)
    if (!left.some(({ path }) => path === wrong.path)) return { bytes: changed, left, field: pathText(keys), source }
  }
  return undefined
}

interface Candidate {
  edit: Edit | undefined
  keys: readonly Key[]
  source: string
}

const REMOVED = "JP's own default"
/** Values for what JP requires, if nothing says what they were. */
const LAST_RESORT: Readonly<Record<string, string>> = { source: 'local', run: 'ask' }

/** From the field itself to what contains it. A list of another config has other items. */
function* candidates(bytes: Buffer, keys: readonly Key[], sources: Iterable<ConfigSource>): Generator<Candidate> {
  for (let length = keys.length; length > 0; length--) {
    const here = keys.slice(0, length)
    if (!here.some(key => typeof key === 'number'))
      for (const source of sources) {
        const value = valueIn(source, here)
        if (value !== undefined) yield { edit: putValue(bytes, here, value), keys: here, source: source.name }
      }
    yield { edit: removeMember(bytes, here), keys: here, source: REMOVED }
    // A tool of which nothing but its use is known can be given no better source.
    const last = length === keys.length - 1 ? LAST_RESORT[String(keys.at(-1))] : undefined
    if (last !== undefined)
      yield { edit: putValue(bytes, keys, Buffer.from(JSON.stringify(last))), keys, source: 'no source: a placeholder' }
  }
}

function pathText(keys: readonly Key[]): string {
  return keys.join('.')
}

function valueIn({ bytes }: ConfigSource, keys: readonly Key[]): Buffer | undefined {
  const span = spanAt(bytes, keys)
  return span === undefined ? undefined : bytes.subarray(span.start, span.end)
}

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

/** `sources` are in order of preference. The last one is complete. */
export function bestConfig(sources: Iterable<ConfigSource>, deltas: readonly unknown[]): ConfigSource {
  const all = memoize(sources)
  let place = 0
  for (const source of all) {
    place++
    const refilled = refillConfig(source.bytes, sourcesAfter(all, place), deltas)
    if (refilled !== undefined)
      return { ...source, bytes: refilled.bytes, name: source.name + describe(refilled.filled) }
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

function describe(filled: readonly Filled[]): string {
  const sources = [...new Set(filled.map(({ source }) => source))]
  const parts = sources.map(source => {
    const fields = filled.filter(one => one.source === source).map(({ field }) => field)
    return source === REMOVED ? `, without ${fields.join(' and ')}` : `, with ${fields.join(' and ')} from ${source}`
  })
  return parts.join('')
}
