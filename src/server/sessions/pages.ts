// Pages of the list. The order is kept until sessions are added, removed or moved. A filter over twenty
// thousand rows takes a few milliseconds.
import type { SessionsQuery } from '../api.ts'
import type { Entries, Entry } from './entries.ts'
import { makeFilter } from './filter.ts'
import type { Mode, Placed, SortPosition } from './order.ts'
import { comparison, modeOf } from './order.ts'
import { Ordered } from './ordered.ts'
import { readCursor, writeCursor } from './page-cursor.ts'

const DEFAULT_LIMIT = 100
/** The number of cached lists. Clients that show the same list request it at the same time. */
const MAX_KEPT = 16

export interface Page {
  entries: Entry[]
  total: number
  nextCursor: string | null
}

export interface Pages {
  page(query: SessionsQuery): Page
}

export function makePages(entries: Entries, titles: ReadonlyMap<string, string>): Pages {
  const orders = new Map<string, Ordered>()
  const kept = new Map<string, readonly Placed[]>()
  let keptRevision = -1

  const inOrder = (mode: Mode): readonly Placed[] => {
    const name = Object.values(mode).join()
    const known = orders.get(name) ?? new Ordered(entries, mode, agent => titles.get(agent) ?? agent)
    orders.set(name, known)
    return known.list()
  }
  const matchingOf = (mode: Mode, query: SessionsQuery): readonly Placed[] => {
    if (keptRevision !== entries.revision || kept.size >= MAX_KEPT) kept.clear()
    keptRevision = entries.revision
    const { cursor: _, limit: __, ...asked } = query
    const name = JSON.stringify({ ...asked, ...mode })
    const filter = makeFilter(query, titles)
    const matching = kept.get(name) ?? inOrder(mode).filter(({ entry }) => filter(entry))
    kept.set(name, matching)
    return matching
  }
  return {
    page(query) {
      const mode = modeOf(query)
      const after = query.cursor === undefined ? undefined : readCursor(mode, query.cursor)
      const matching = matchingOf(mode, query)
      const from = after === undefined ? 0 : firstBehind(matching, after, comparison(mode))
      const shown = matching.slice(from, from + (query.limit ?? DEFAULT_LIMIT))
      const last = shown.at(-1)
      const isMore = from + shown.length < matching.length && last !== undefined
      return {
        entries: shown.map(({ entry }) => entry),
        total: matching.length,
        nextCursor: isMore ? writeCursor(mode, last) : null,
      }
    },
  }
}

/** Binary search: the entries after the cursor are one run at the end. */
function firstBehind(
  sorted: readonly Placed[],
  position: SortPosition,
  compare: (a: SortPosition, b: SortPosition) => number,
): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = sorted[middle]
    if (at !== undefined && compare(at, position) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
