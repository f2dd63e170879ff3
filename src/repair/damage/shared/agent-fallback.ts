// Some agents go on past a broken link by themselves. Where that leads to more than the nearest record would, the link is written down as they go.
import type { RecordIndex } from '../../records/record-index.ts'
import { NONE } from '../../records/record-index.ts'
import { isConversation } from './link-forest.ts'

/** For each record at which the agent left the links: the record it went on with. `loaded` is what it loads, in its order. */
export function findOwnWay(index: RecordIndex, loaded: readonly number[]): Map<number, number> {
  const places = new Int32Array(index.length).fill(NONE)
  for (const [place, record] of loaded.entries()) places[record] = place
  const way = new Map<number, number>()
  for (let at = loaded.length - 1; at > 0; ) {
    const record = loaded[at] ?? NONE
    const { last, parent } = pastProgress(index, record)
    const place = parent === NONE ? NONE : (places[parent] ?? NONE)
    if (place !== NONE && place < at) {
      at = place
      continue
    }
    if (!index.namesParent(last)) break
    at = placeBefore(index, loaded, at)
    const next = loaded[at]
    if (next !== undefined) way.set(last, next)
  }
  return way
}

/** Up to the first parent that is no report of progress. `last` is the record that names it. */
function pastProgress(index: RecordIndex, record: number): { last: number; parent: number } {
  let last = record
  let parent = index.parent(record)
  for (let steps = 0; parent !== NONE && index.kind(parent) === 'progress' && steps < index.length; steps++) {
    last = parent
    parent = index.parent(parent)
  }
  return { last, parent }
}

/** Past what was only taken in with the record: other lines of its message, and results that hang on them. */
function placeBefore(index: RecordIndex, loaded: readonly number[], from: number): number {
  const group = index.group(loaded[from] ?? NONE)
  const belongs = (record: number): boolean =>
    group !== undefined && (index.group(record) === group || groupOfParent(index, record) === group)
  let at = from - 1
  while (at >= 0 && belongs(loaded[at] ?? NONE)) at--
  return at
}

function groupOfParent(index: RecordIndex, record: number): number | undefined {
  const parent = index.parent(record)
  return parent === NONE ? undefined : index.group(parent)
}

/** How many compactions stand before each record. */
export function countCompactions(index: RecordIndex): Int32Array {
  const counts = new Int32Array(index.length)
  let count = 0
  for (let record = 0; record < index.length; record++) {
    if (index.kind(record) === 'boundary') count++
    counts[record] = count
  }
  return counts
}

/** Whether a repair may write such a link down: of the same lane, and not across a compaction. */
export function isFitParent(index: RecordIndex, record: number, parent: number, compactions: Int32Array): boolean {
  if (index.isSidechain(record) !== index.isSidechain(parent) || !index.hasId(parent)) return false
  if (!isConversation(index, parent) && index.kind(parent) !== 'boundary') return false
  return compactions[record] === compactions[parent]
}
