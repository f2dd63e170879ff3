// Parent links form a cycle. Older agents follow it forever.

import type { Inflict } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { type LinkedLine, linkedLinesOf, loadIn, logRepairOf, pickOne } from '../shared/break-links.ts'
import { findBrokenLinks } from '../shared/find-broken-links.ts'
import { makeLinkDamage } from '../shared/relink.ts'

/** Makes a record its own parent, or the child of one of its descendants. */
const inflict: Inflict = (target, random) => {
  const repair = logRepairOf(target)
  if (repair === undefined) return undefined
  const file = target.session.filePath
  const bytes = target.read(file)
  const lines = linkedLinesOf(bytes, repair)
  // Not through an abandoned branch: an agent that survives cycles would then load messages of that branch.
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

/** The line itself and its ancestors, as long as they are part of the conversation. */
function ancestorsOf(line: LinkedLine, lines: readonly LinkedLine[]): LinkedLine[] {
  const byId = new Map(lines.map(each => [each.id, each]))
  const ancestors = new Set<LinkedLine>()
  for (let at: LinkedLine | undefined = line; at !== undefined && !ancestors.has(at); ) {
    ancestors.add(at)
    at = typeof at.facts.parent === 'string' ? byId.get(at.facts.parent) : undefined
  }
  return [...ancestors]
}

export const parentCycle = makeLinkDamage({
  id: 'parent-cycle',
  title: 'links that run in a circle',
  why: 'The links between messages run in a circle, usually because two processes wrote to the file at once. On resume the agent stops here. A repair reconnects this message to the one before it.',
  find: subject => findBrokenLinks(subject).filter(({ kind }) => kind === 'circle' || kind === 'opened'),
  texts: (subject, found) =>
    found.map(({ record }) => ({
      text:
        subject.index.parent(record) === record
          ? 'This message is linked to itself.'
          : 'This message is linked to a later one, so the links run in a circle.',
    })),
  inflict,
})
