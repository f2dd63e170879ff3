// Lets a record go on from itself, or from one of those that go on from it.

import type { Inflict } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import type { LinkedLine } from '../shared/break-links.ts'
import { linkedLinesOf, loadIn, logRepairOf, pickOne } from '../shared/break-links.ts'

export const inflict: Inflict = (target, random) => {
  const repair = logRepairOf(target)
  if (repair === undefined) return undefined
  const file = target.session.filePath
  const bytes = target.read(file)
  const lines = linkedLinesOf(bytes, repair)
  // Not through an abandoned branch: an agent that survives circles would then load what nobody had said on this one.
  const loaded = new Set(loadIn(target, bytes, repair).starts)
  const last = pickOne(
    lines.filter(({ start, facts }) => loaded.has(start) || facts.sidechain === true),
    random,
  )
  const circle = last === undefined ? [] : ancestorsOf(last, lines)
  const length = 1 + random.below(circle.length)
  const first = circle[length - 1]
  if (last === undefined || first === undefined) return undefined
  target.write(file, replaceBytes(bytes, first.link.start, first.link.end, JSON.stringify(last.id)))
  return { what: `a circle of ${length} closed at ${first.start}`, destroyed: 0 }
}

/** The line itself, and what it goes on from as far as only the conversation leads. */
function ancestorsOf(line: LinkedLine, lines: readonly LinkedLine[]): LinkedLine[] {
  const byId = new Map(lines.map(each => [each.id, each]))
  const ancestors = new Set<LinkedLine>()
  for (let at: LinkedLine | undefined = line; at !== undefined && !ancestors.has(at); ) {
    ancestors.add(at)
    at = typeof at.facts.parent === 'string' ? byId.get(at.facts.parent) : undefined
  }
  return [...ancestors]
}
