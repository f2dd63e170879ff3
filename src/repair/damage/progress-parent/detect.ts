// Finds links through progress records that cost messages: links on the way back from the end of the
// conversation at which the resuming agent stops.
import type { RecordIndex } from '../../records/record-index.ts'
import { NONE } from '../../records/record-index.ts'
import type { LogSubject } from '../damage.ts'
import { isConversationRecord } from '../shared/link-forest.ts'
import type { Relink } from '../shared/relink.ts'

export function findProgressLinks(subject: LogSubject): Relink[] {
  const { visible, repair } = subject
  const { chain } = repair.load(subject)
  const [first] = chain
  const stop = first === undefined ? NONE : visible.parent(first)
  if (first === undefined || stop === NONE || visible.kind(stop) !== 'progress') return []
  // An agent that knows progress records stops there for another reason.
  if (!isConversationRecord(visible, first) || chain.includes(stop)) return []
  // Some agents know progress records, but only those that stand before the records that name them.
  const isLate = stop > first
  return followFrom(subject, chain.at(-1) ?? first).filter(
    ({ record }) => !isLate || subject.index.parent(record) > record,
  )
}

/** All such links from one record back. The agent would stop at each of them in turn. */
function followFrom({ index, visible }: LogSubject, end: number): Relink[] {
  const links: Relink[] = []
  const seen = new Uint8Array(index.length)
  for (let at = sameRecord(visible, index, end); at !== NONE && seen[at] === 0; at = index.parent(at)) {
    seen[at] = 1
    const parent = index.parent(at)
    if (parent === NONE || index.kind(parent) !== 'progress' || !isConversationRecord(index, at)) continue
    const past = pastProgress(index, parent)
    if (past !== NONE) links.push({ record: at, parent: past, isLeft: false })
  }
  return links
}

/** NONE where no record precedes it, or none can be reached yet. */
function pastProgress(index: RecordIndex, progress: number): number {
  let steps = 0
  let at = progress
  while (at !== NONE && index.kind(at) === 'progress' && steps++ < index.length) at = index.parent(at)
  return at !== NONE && (isConversationRecord(index, at) || index.kind(at) === 'boundary') ? at : NONE
}

/** Records are in file order in both indexes. */
function sameRecord(from: RecordIndex, to: RecordIndex, record: number): number {
  if (from === to) return record
  const start = from.start(record)
  let low = 0
  let high = to.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (to.start(middle) < start) low = middle + 1
    else high = middle
  }
  return low < to.length ? low : NONE
}
