// The parent of a record is a progress record, which older agents do not know. They lose everything before
// it.

import type { LogRepair } from '../../../agents/repair.ts'
import { NONE, type RecordIndex } from '../../records/record-index.ts'
import type { Inflict, InflictTarget, LogDamage, LogSubject } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { linkedLinesOf, loadIn, logRepairOf, pickOne, unusedIdLike } from '../shared/break-links.ts'
import { isConversationRecord } from '../shared/link-forest.ts'
import { makeLinkDamage, type Relink } from '../shared/relink.ts'

/** Puts one or two progress records between a record and its parent. */
const inflict: Inflict = (target, random) => {
  const repair = logRepairOf(target)
  const file = target.session.filePath
  if (repair?.links?.makeProgress === undefined) return undefined
  const bytes = target.read(file)
  const line = pickOne(onTheWay(target, bytes, repair), random)
  if (line === undefined) return undefined
  let parent = String(line.facts.parent)
  let reports = ''
  for (let left = 1 + random.below(2); left > 0; left--) {
    const id = unusedIdLike(line.id, random)
    reports += `${JSON.stringify(repair.links.makeProgress(id, parent, line.value))}\n`
    parent = id
  }
  const linked = replaceBytes(bytes, line.link.start, line.link.end, JSON.stringify(parent))
  const broken = replaceBytes(linked, line.start, line.start, reports)
  if (loadIn(target, broken, repair).messages >= loadIn(target, bytes, repair).messages) return undefined
  target.write(file, broken)
  return { what: `a report of progress put before the record at ${line.start}`, destroyed: 0 }
}

/** Records that the agent loads and that have a parent. Only there the damage costs messages. */
function onTheWay(target: InflictTarget, bytes: Buffer, repair: LogRepair) {
  const starts = new Set(loadIn(target, bytes, repair).starts.slice(1))
  return linkedLinesOf(bytes, repair).filter(
    ({ start, facts }) => starts.has(start) && typeof facts.parent === 'string',
  )
}

export const progressParent: LogDamage = {
  ...makeLinkDamage({
    id: 'progress-parent',
    title: 'a link through a progress report',
    why: 'This message is linked to a progress report instead of a message, as some versions of the agent write it. On resume the agent stops at the report. A repair reconnects the message to the one before it.',
    find: findProgressLinks,
    texts: (_, found) =>
      found.map(() => ({
        text: 'This message is linked to a progress report, where the agent stops when it resumes.',
      })),
    inflict,
  }),
  isOfEarlyVersions: true,
}

/**
 * Finds links through progress records that cost messages: links on the way back from the end of the
 * conversation at which the resuming agent stops.
 */
function findProgressLinks(subject: LogSubject): Relink[] {
  const { visible, repair } = subject
  const { chain } = repair.load(subject)
  const [first] = chain
  const stop = first === undefined ? NONE : visible.parent(first)
  if (first === undefined || stop === NONE || visible.kind(stop) !== 'progress') return []
  // An agent that knows progress records stops there for another reason.
  if (!isConversationRecord(visible, first) || chain.includes(stop)) return []
  // Some agents know progress records, but only those before the records that name them.
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
    const past = skipProgress(index, parent)
    if (past !== NONE) links.push({ record: at, parent: past, isLeft: false })
  }
  return links
}

/** NONE where no record precedes it, or none can be reached yet. */
function skipProgress(index: RecordIndex, progress: number): number {
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
