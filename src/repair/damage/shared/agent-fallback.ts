// Some agents have a fallback for a broken link. Where the fallback loads more than the nearest record would,
// the repair writes the link that the fallback chooses.
import type { RecordIndex } from '../../records/record-index.ts'
import { NONE } from '../../records/record-index.ts'
import { isConversationRecord } from './link-forest.ts'

/**
 * For each record at which the agent left the links: the record it continued with. `loaded` holds the loaded
 * records in the agent's order.
 */
export function findFallbackParents(index: RecordIndex, loaded: readonly number[]): Map<number, number> {
  const places = new Int32Array(index.length).fill(NONE)
  for (const [place, record] of loaded.entries()) places[record] = place
  const way = new Map<number, number>()
  for (let at = loaded.length - 1; at > 0; ) {
    const record = loaded[at] ?? NONE
    const { last, parent } = skipProgress(index, record)
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

/** Follows parents up to the first one that is not a progress record. `last` is the record that names it. */
function skipProgress(index: RecordIndex, record: number): { last: number; parent: number } {
  let last = record
  let parent = index.parent(record)
  for (let steps = 0; parent !== NONE && index.kind(parent) === 'progress' && steps < index.length; steps++) {
    last = parent
    parent = index.parent(parent)
  }
  return { last, parent }
}

/**
 * Skips records that were loaded only together with this one: other lines of its message, and their tool
 * results.
 */
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

/** The number of compactions before each record. */
export function countCompactions(index: RecordIndex): Int32Array {
  const counts = new Int32Array(index.length)
  let count = 0
  for (let record = 0; record < index.length; record++) {
    if (index.kind(record) === 'boundary') count++
    counts[record] = count
  }
  return counts
}

/** Whether a repair may write this link: it must stay in the same lane and not cross a compaction. */
export function isFitParent(index: RecordIndex, record: number, parent: number, compactions: Int32Array): boolean {
  if (index.isSidechain(record) !== index.isSidechain(parent) || !index.hasId(parent)) return false
  if (!isConversationRecord(index, parent) && index.kind(parent) !== 'boundary') return false
  return compactions[record] === compactions[parent]
}
