// Ranges of keys in a table, and points between two keys, to continue after a place that cannot be read.
import type { SqlValue } from '../../model/plan.ts'
import { bindExact, bytesOfText, quoteName, textOfBytes } from './values.ts'

export type RowKey = readonly SqlValue[]

/** One end of a range. It may name only the first columns of a key. */
export interface KeyLimit {
  key: RowKey
  isIncluded: boolean
}

/** A missing limit is the start or the end of the table. */
export interface KeyRange {
  low?: KeyLimit | undefined
  high?: KeyLimit | undefined
}

export function rangeSql(columns: readonly string[], { low, high }: KeyRange): { sql: string; values: SqlValue[] } {
  const parts = [
    ...(low === undefined ? [] : [compare(columns, low.isIncluded ? '>=' : '>', low.key)]),
    ...(high === undefined ? [] : [compare(columns, high.isIncluded ? '<=' : '<', high.key)]),
  ]
  return { sql: parts.map(({ sql }) => sql).join(' AND ') || '1', values: parts.flatMap(({ values }) => values) }
}

function compare(columns: readonly string[], operator: string, key: RowKey): { sql: string; values: SqlValue[] } {
  const bound = key.map(bindExact)
  const names = columns.slice(0, key.length).map(quoteName).join(', ')
  const places = bound.map(({ sql }) => sql).join(', ')
  const values = bound.map(({ value }) => value)
  return key.length === 1
    ? { sql: `${names} ${operator} ${places}`, values }
    : { sql: `(${names}) ${operator} (${places})`, values }
}

/**
 * Splits a range with an open end into pieces by order of magnitude: the middle of all possible keys is far
 * from every row.
 */
export function spread(range: KeyRange): KeyRange[] {
  if (range.low !== undefined && range.high !== undefined) return [range]
  const pieces: KeyRange[] = []
  let { low } = range
  for (const point of stepsIn(range)) {
    pieces.push({ low, high: { key: [point], isIncluded: false } })
    low = { key: [point], isIncluded: true }
  }
  return [...pieces, { low, high: range.high }]
}

/** Ascending, and all inside the range. */
function stepsIn({ low, high }: KeyRange): SqlValue[] {
  const [from, to] = [low?.key[0], high?.key[0]]
  if (typeof to === 'string') return stepsBelow(bytesOfText(to)).map(textOfBytes)
  if (typeof from === 'string') return stepsAbove(bytesOfText(from)).map(textOfBytes)
  const [first, last] = [wholeNumber(low, MIN, 1n), wholeNumber(high, MAX, -1n)]
  if (first === undefined || last === undefined) return []
  return POWERS.filter(power => power > first && power < last)
}

const POWERS = Array.from({ length: 16 }, (_, power) => 16n ** BigInt(power))

/** For 0417: 0, 04, 041. */
function stepsBelow(key: Buffer): Buffer[] {
  return Array.from({ length: Math.max(0, key.length - 1) }, (_, index) => key.subarray(0, index + 1))
}

/** For 0417: 0418, 042, 05, 1. */
function stepsAbove(key: Buffer): Buffer[] {
  return Array.from(key, (byte, index) =>
    Buffer.concat([key.subarray(0, index), Buffer.from([Math.min(255, byte + 1)])]),
  )
    .toReversed()
    .filter(step => Buffer.compare(step, key) > 0)
}

/**
 * The two halves of a range; undefined where nothing can be between its ends, or where no point between them
 * is known.
 */
export function halve(range: KeyRange): { left: KeyRange; right: KeyRange } | undefined {
  const point = pointIn(range)
  if (point === undefined) return undefined
  return {
    left: { low: range.low, high: { key: [point], isIncluded: false } },
    right: { low: { key: [point], isIncluded: true }, high: range.high },
  }
}

function pointIn({ low, high }: KeyRange): SqlValue | undefined {
  const [from, to] = [low?.key[0], high?.key[0]]
  const isText = typeof from === 'string' || typeof to === 'string'
  if (!isText) return numberIn(wholeNumber(low, MIN, 1n), wholeNumber(high, MAX, -1n))
  if ((from !== undefined && typeof from !== 'string') || (to !== undefined && typeof to !== 'string')) return undefined
  const middle = bytesBetween(bytesOfText(from ?? ''), to === undefined ? undefined : bytesOfText(to))
  return middle === undefined ? undefined : textOfBytes(middle)
}

const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n

/** The outermost number that is still inside. */
function wholeNumber(limit: KeyLimit | undefined, open: bigint, inwards: bigint): bigint | undefined {
  if (limit === undefined) return open
  const [value] = limit.key
  if (typeof value !== 'bigint') return undefined
  return limit.isIncluded ? value : value + inwards
}

/** Never the lowest, so that both halves are smaller than the whole. */
function numberIn(low: bigint | undefined, high: bigint | undefined): bigint | undefined {
  if (low === undefined || high === undefined || low >= high) return undefined
  return low + (high - low + 1n) / 2n
}

/** Keys that differ only after this many bytes count as equal. */
const MAX_POINT_BYTES = 64

/** Treats the keys as fractions in base 256; undefined where the first is not smaller. */
function bytesBetween(low: Buffer, high: Buffer | undefined): Buffer | undefined {
  const point: number[] = []
  let isBelowHigh = high === undefined
  for (let at = 0; at < MAX_POINT_BYTES; at++) {
    const from = low[at] ?? 0
    const to = isBelowHigh ? 256 : (high?.[at] ?? 0)
    if (from > to) return undefined
    const middle = from + Math.floor((to - from) / 2)
    point.push(middle)
    if (middle > from) return Buffer.from(point)
    if (to > from) isBelowHigh = true
  }
  return undefined
}

/** In table order, with adjacent ranges merged. */
export function mergeRanges(ranges: readonly KeyRange[]): KeyRange[] {
  const merged: KeyRange[] = []
  for (const range of ranges.toSorted((a, b) => compareKeys(a.low?.key[0], b.low?.key[0]))) {
    const last = merged.at(-1)
    if (last !== undefined && touches(last, range)) last.high = range.high
    else merged.push({ ...range })
  }
  return merged
}

function touches({ high }: KeyRange, { low }: KeyRange): boolean {
  return high !== undefined && low !== undefined && compareKeys(high.key[0], low.key[0]) === 0
}

function compareKeys(a: SqlValue | undefined, b: SqlValue | undefined): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(bytesOfText(a), bytesOfText(b))
  return Number(a !== undefined) - Number(b !== undefined)
}
