// Which calls and results on the loaded chain lack their other half. Told from the index alone: no record is read.
import type { RecordIndex } from '../../model/record-index.ts'
import type { LogView } from '../mend.ts'
import type { Path } from './path.ts'

/** One call or result: the record it is in, and which of the record's calls or results it is. */
export interface ToolPlace {
  record: number
  nth: number
}

export interface LonelyResult extends ToolPlace {
  kind: 'result-without-call' | 'duplicate-result'
  /** The record with its call, where that is in the file and only not on the chain. */
  callBeside: number | undefined
}

export interface Lonely {
  calls: ToolPlace[]
  results: LonelyResult[]
}

/** The calls and results of one id. */
interface Pair {
  call?: ToolPlace
  callBeside?: number
  results: ToolPlace[]
  isResultBeside: boolean
}

export function findLonely(log: LogView, chain: readonly number[], path: Path): Lonely {
  const places = placesOn(log.visible, chain)
  const pairs = collectPairs(log.visible, places)
  const hidden = log.index === log.visible ? undefined : keysOf(log.index)
  const lonely: Lonely = { calls: [], results: [] }
  for (const [key, { call, callBeside, results, isResultBeside }] of pairs) {
    // A result beside the chain is that of one of several calls made at once: newer versions find it there, older ones leave both out.
    if (call !== undefined && results.length === 0 && !isResultBeside && hidden?.results.has(key) !== true)
      lonely.calls.push(call)
    results.sort((a, b) => (places[a.record] ?? 0) - (places[b.record] ?? 0) || a.nth - b.nth)
    if (call !== undefined) {
      const [, ...later] = results
      for (const place of later) lonely.results.push({ ...place, kind: 'duplicate-result', callBeside: undefined })
    } else if (!mayComeBack(callBeside, hidden?.calls.has(key) === true, path))
      for (const place of results) lonely.results.push({ ...place, kind: 'result-without-call', callBeside })
  }
  return lonely
}

/** Whether the call will be on the chain once lines and links are mended. */
function mayComeBack(callBeside: number | undefined, isHidden: boolean, path: Path): boolean {
  return callBeside === undefined ? isHidden : path.end === 'gap'
}

/** For each record its place on the chain, counted from 1; 0 for those that are not on it. */
function placesOn(index: RecordIndex, chain: readonly number[]): Int32Array {
  const places = new Int32Array(index.length)
  for (const [place, record] of chain.entries()) places[record] = place + 1
  return places
}

function collectPairs(index: RecordIndex, places: Int32Array): Map<number, Pair> {
  const pairs = new Map<number, Pair>()
  let place: ToolPlace & { isResult: boolean } = { record: -1, nth: 0, isResult: false }
  for (const { record, isResult, key } of index.tools()) {
    const isSame = record === place.record && isResult === place.isResult
    place = { record, isResult, nth: isSame ? place.nth + 1 : 0 }
    const pair = pairs.get(key) ?? { results: [], isResultBeside: false }
    pairs.set(key, pair)
    const isLoaded = places[record] !== 0
    if (isResult && isLoaded) pair.results.push({ record, nth: place.nth })
    else if (isResult) pair.isResultBeside = true
    else if (isLoaded) pair.call = { record, nth: place.nth }
    else pair.callBeside = record
  }
  return pairs
}

function keysOf(index: RecordIndex): { calls: Set<number>; results: Set<number> } {
  const keys = { calls: new Set<number>(), results: new Set<number>() }
  for (const { isResult, key } of index.tools()) (isResult ? keys.results : keys.calls).add(key)
  return keys
}
