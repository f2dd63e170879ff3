// A record in the middle of a conversation has no parent. A resume takes it for the start and loses
// everything before it.

import type { Inflict } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { linkedLinesOf, logRepairOf, pickOne } from '../shared/break-links.ts'
import { findBrokenLinks } from '../shared/find-broken-links.ts'
import { makeLinkDamage } from '../shared/relink.ts'

/** Removes the parent link of one message. */
const inflict: Inflict = (target, random) => {
  const repair = logRepairOf(target)
  if (repair === undefined) return undefined
  const file = target.session.filePath
  const bytes = target.read(file)
  const linked = linkedLinesOf(bytes, repair).filter(({ facts }) => {
    return typeof facts.parent === 'string' && facts.kind === 'talk' && facts.sidechain !== true && facts.meta !== true
  })
  const line = pickOne(linked.slice(1), random)
  if (line === undefined) return undefined
  target.write(file, replaceBytes(bytes, line.link.start, line.link.end, 'null'))
  return { what: `the link of the record at ${line.start} replaced by null`, destroyed: 0 }
}

export const secondRoot = makeLinkDamage({
  id: 'second-root',
  title: 'a second start in the middle',
  why: 'The link to the message before is missing, usually because a process was killed or a tool rewrote the file. On resume the agent starts here and forgets everything before. A repair reconnects this message to the one before it.',
  find: subject => findBrokenLinks(subject).filter(({ kind }) => kind === 'root'),
  texts: (_, found) =>
    found.map(() => ({ text: 'This message has no link to the one before it, so a resume starts here.' })),
  inflict,
})
