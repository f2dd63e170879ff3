// Puts one or two progress records between a record and its parent.
import type { LogRepair } from '../../../agents/repair.ts'
import type { Inflict, InflictTarget } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { linkedLinesOf, loadIn, logRepairOf, pickOne, unusedIdLike } from '../shared/break-links.ts'

export const inflict: Inflict = (target, random) => {
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
