// Gives one to five records a parent that never existed.

import type { Inflict } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { linkedLinesOf, logRepairOf, pickOne, unusedIdLike } from '../shared/break-links.ts'

const MAX_PLACES = 5

export const inflict: Inflict = (target, random) => {
  const repair = logRepairOf(target)
  if (repair === undefined) return undefined
  const file = target.session.filePath
  let bytes = target.read(file)
  const linked = linkedLinesOf(bytes, repair).filter(({ facts }) => typeof facts.parent === 'string')
  if (linked.length === 0) return undefined
  const places = new Set<number>()
  for (let left = 1 + random.below(MAX_PLACES); left > 0; left--) {
    const line = pickOne(linked, random)
    if (line === undefined || places.has(line.start)) continue
    places.add(line.start)
    // As long as the old id, so that the offsets of the other records stay valid.
    const unusedId = unusedIdLike(String(line.facts.parent), random)
    bytes = replaceBytes(bytes, line.link.start, line.link.end, JSON.stringify(unusedId))
  }
  target.write(file, bytes)
  return { what: `the parents of the records at ${[...places].join(', ')} replaced by ids of nobody`, destroyed: 0 }
}
