// The calls and results on the loaded chain without a counterpart. Uses the index only and reads no record.
import type { RecordIndex } from '../../../../repair/records/record-index.ts'
import type { Chain, LogView } from '../../../repair.ts'
import type { Path } from './path.ts'

/** One call or result: its record, and its number among the record's calls or results. */
export interface ToolPlace {
  record: number
  nth: number
}

export interface UnpairedResult extends ToolPlace {
  kind: 'result-without-call' | 'duplicate-result'
  /** The record with its call, if the call is in the file but not on the chain. */
  callBeside: number | undefined
}

export interface UnpairedHalves {
  calls: ToolPlace[]
  results: UnpairedResult[]
}

/** The calls and results of one id. */
interface Pair {
  call?: ToolPlace
  callBeside?: number
  results: ToolPlace[]
  isResultBeside: boolean
}

/** `odd` is the result of `findOdd` for the chain. */
export function findUnpairedHalves(log: LogView, chain: Chain, path: Path, odd: Uint8Array): UnpairedHalves {
  const places = placesOn(log.visible, chain)
  const pairs = collectPairs(log.visible, places, odd)
  // Over the whole file, so that a half that only a salvage finds counts too.
  const hidden = log.index === log.visible ? undefined : halvesOf(log.index)
  const isHidden = (key: number, half: number): boolean => ((hidden?.[key] ?? 0) & half) !== 0
  const unpaired: UnpairedHalves = { calls: [], results: [] }
  for (const [key, { call, callBeside, results, isResultBeside }] of pairs) {
    // A result beside the chain belongs to one of several parallel calls. Newer versions find it there, older
    // ones leave both out.
    if (call !== undefined && results.length === 0 && !isResultBeside && !isHidden(key, RESULT_BESIDE))
      unpaired.calls.push(call)
    results.sort((a, b) => (places[a.record] ?? 0) - (places[b.record] ?? 0) || a.nth - b.nth)
    if (call !== undefined) {
      const [, ...later] = results
      for (const place of later) unpaired.results.push({ ...place, kind: 'duplicate-result', callBeside: undefined })
    } else if (!mayComeBack(callBeside, isHidden(key, CALL_BESIDE), path))
      for (const place of results) unpaired.results.push({ ...place, kind: 'result-without-call', callBeside })
  }
  return unpaired
}

/** What exists of one id, as bits. Nearly all ids are whole pairs and need no more. */
const CALL = 1
const RESULT = 2
const SECOND_RESULT = 4
const CALL_BESIDE = 8
const RESULT_BESIDE = 16

/** 1 for each key that may lack a counterpart. Undefined if there is none, as in nearly all sessions. */
export function findOdd(index: RecordIndex, chain: Chain): Uint8Array | undefined {
  const isLoaded = new Uint8Array(index.length)
  for (const record of chain) isLoaded[record] = 1
  const halves = halvesOf(index, isLoaded)
  return halves.some(isOdd) ? halves.map(each => (isOdd(each) ? 1 : 0)) : undefined
}

/** By key. Without a chain, everything counts as beside it. */
function halvesOf(index: RecordIndex, isOnChain?: Uint8Array): Uint8Array {
  const halves = new Uint8Array(index.keyLimit)
  index.eachTool((record, isResult, key) => {
    const known = halves[key] ?? 0
    const isLoaded = isOnChain?.[record] === 1
    if (!isLoaded) halves[key] = known | (isResult ? RESULT_BESIDE : CALL_BESIDE)
    else if (!isResult) halves[key] = known | CALL
    else halves[key] = known | ((known & RESULT) === 0 ? RESULT : SECOND_RESULT)
  })
  return halves
}

/** Whether a call or result may lack its counterpart, or have two. */
function isOdd(halves: number): boolean {
  if ((halves & CALL) === 0) return (halves & RESULT) !== 0
  return (halves & (RESULT | RESULT_BESIDE)) === 0 || (halves & SECOND_RESULT) !== 0
}

/** Whether the call will be on the chain once lines and links are repaired. */
function mayComeBack(callBeside: number | undefined, isHidden: boolean, path: Path): boolean {
  return callBeside === undefined ? isHidden : path.end === 'gap'
}

/** The place of each record on the chain, counted from 1. 0 for a record that is not on it. */
function placesOn(index: RecordIndex, chain: Chain): Int32Array {
  const places = new Int32Array(index.length)
  for (const [place, record] of chain.entries()) places[record] = place + 1
  return places
}

/** Only for the ids in `odd`. */
function collectPairs(index: RecordIndex, places: Int32Array, odd: Uint8Array): Map<number, Pair> {
  const pairs = new Map<number, Pair>()
  let place: ToolPlace & { isResult: boolean } = { record: -1, nth: 0, isResult: false }
  index.eachTool((record, isResult, key) => {
    const isSame = record === place.record && isResult === place.isResult
    place = { record, isResult, nth: isSame ? place.nth + 1 : 0 }
    if (odd[key] !== 1) return
    const pair = pairs.get(key) ?? { results: [], isResultBeside: false }
    pairs.set(key, pair)
    const isLoaded = places[record] !== 0
    if (isResult && isLoaded) pair.results.push({ record, nth: place.nth })
    else if (isResult) pair.isResultBeside = true
    else if (isLoaded) pair.call = { record, nth: place.nth }
    else pair.callBeside = record
  })
  return pairs
}
