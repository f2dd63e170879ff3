// The path from the end of a conversation back to its start, as the agent's own resume follows it.
import { NONE, type RecordIndex } from '../../../repair/records/record-index.ts'
import type { Bytes } from '../../repair.ts'
import { findEnd } from './end.ts'
import type { LoaderLinks } from './links.ts'

export interface Walked {
  /** From the root, or from where the walk stopped, to the end. */
  path: Int32Array
  /** The path returned to a visited record, and the agent would loop for ever. */
  isEndless: boolean
}

/** Cached for each log: several damages ask for the same path. */
const known = new WeakMap<LoaderLinks, Walked>()

/** The path that a resume follows. Empty if it would start an empty conversation. */
export function walkFromEnd(links: LoaderLinks, bytes: Bytes): Walked {
  const before = known.get(links)
  if (before !== undefined) return before
  const end = findEnd(links, bytes)
  const walked = end === NONE ? { path: new Int32Array(0), isEndless: false } : walkBack(links, end)
  known.set(links, walked)
  return walked
}

function walkBack(links: LoaderLinks, end: number): Walked {
  const { parents, rules } = links
  const seen = new Uint8Array(parents.length)
  const path = new Int32Array(parents.length)
  let first = path.length
  let bridges: Bridges | undefined
  for (let at = end; at !== NONE; ) {
    path[--first] = at
    seen[at] = 1
    const parent = parents[at] ?? NONE
    if (parent === NONE) break
    if (parent >= 0 && seen[parent] === 0) {
      at = parent
      continue
    }
    if (parent >= 0 && !rules.survivesCycles) return { path: path.subarray(first), isEndless: true }
    if (!rules.bridges) break
    bridges ??= new Bridges(links, seen)
    at = bridges.nearestBefore(at)
  }
  return { path: path.subarray(first), isEndless: false }
}

// At a broken link, newer versions continue with the record of the same lane that was written shortly before:
// the nearest in time, anywhere in the file.

/** Measured: 5000 ms are bridged, 5001 are not. */
const MAX_BRIDGE_MS = 5000

/**
 * Visited records are skipped for good, so that all bridges of a walk cost no more than sorting the records
 * once.
 */
class Bridges {
  readonly #index: RecordIndex
  readonly #seen: Uint8Array
  readonly #lanes: readonly [Lane, Lane]

  /** `seen` is 1 for every visited record. It changes during the walk. */
  constructor(links: LoaderLinks, seen: Uint8Array) {
    this.#index = links.index
    this.#seen = seen
    this.#lanes = [makeLane(links, false), makeLane(links, true)]
  }

  nearestBefore(record: number): number {
    const time = this.#index.time(record)
    const lane = this.#lanes[this.#index.isSidechain(record) ? 1 : 0]
    const place = this.#openPlace(lane, lastNotAfter(lane.times, time))
    if (place === NONE || !(time - (lane.times[place] ?? Number.NaN) <= MAX_BRIDGE_MS)) return NONE
    return lane.records[place] ?? NONE
  }

  /** The first place at or before `from` that was not visited yet. */
  #openPlace({ records, skips }: Lane, from: number): number {
    let place = from
    while (place >= 0 && this.#seen[records[place] ?? 0] === 1) place = skips[place] ?? NONE
    // Path compression, so that later searches skip the same places.
    for (let at = from; at > place; ) {
      const next = skips[at] ?? NONE
      skips[at] = place
      at = next
    }
    return place
  }
}

interface Lane {
  /**
   * By time. Of records with the same time, the first in the file comes last, because the agent takes that
   * one.
   */
  records: Int32Array
  times: Float64Array
  /** For each place, the next place to try if its record was visited. */
  skips: Int32Array
}

function makeLane(links: LoaderLinks, sidechain: boolean): Lane {
  const { index } = links
  const found: number[] = []
  for (let record = 0; record < index.length; record++) {
    if (index.isSidechain(record) !== sidechain || Number.isNaN(index.time(record))) continue
    if (links.stops[record] === 1) found.push(record)
  }
  const records = Int32Array.from(found).sort((a, b) => index.time(a) - index.time(b) || b - a)
  return {
    records,
    times: Float64Array.from(records, record => index.time(record)),
    skips: Int32Array.from(records, (_, place) => place - 1),
  }
}

function lastNotAfter(times: Float64Array, time: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? Number.NaN) <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}
