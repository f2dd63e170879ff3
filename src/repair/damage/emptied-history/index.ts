// A list that leaves nothing of a conversation that is there: the agent was stopped before it wrote everything again. Blanked, it replaces nothing.

import type { LogDamage, LogSubject } from '../damage.ts'
import { readBreakableLog, replaceAll } from '../shared/break-records.ts'
import { detectInTheWay, planCures } from '../shared/edits.ts'
import { findRepeats } from '../shared/repeats.ts'

const ID = 'emptied-history'
const REASON = 'Blank the list, so that nothing is replaced; the vault keeps it'

export const emptiedHistory: LogDamage = {
  id: ID,
  title: 'conversation that was emptied',
  why: 'A record in the log empties the conversation for the agent. A repair removes that record, and the vault keeps it.',
  framing: 'json-lines',
  concerns: (traits, mend) => traits.isCompressed !== true && mend.lists !== undefined,
  // An agent that is just resuming will write everything again. A copy of an earlier list goes with the copies.
  detect: subject =>
    subject.isLive
      ? []
      : (subject.mend.lists?.findEmptied(subject) ?? [])
          .filter(({ start }) => !isCopy(subject, start))
          .map(found => detectInTheWay(ID, subject, found, REASON)),
  plan: (subject, detected) => planCures(ID, subject, detected),
  inflict(target, random) {
    const log = readBreakableLog(target)
    const [first, ...others] = log?.loaded ?? []
    if (log?.mend.lists === undefined || first === undefined || others.length < 2) return undefined
    const before = others[1 + random.below(others.length - 1)]?.start ?? log.bytes.length
    const line = Buffer.concat([log.mend.lists.write(), Buffer.from('\n')])
    target.write(target.session.filePath, replaceAll(log.bytes, [{ start: before, end: before, by: line }]))
    return { what: `the conversation emptied at ${before}`, destroyed: 0 }
  },
}

function isCopy(subject: LogSubject, start: number): boolean {
  const { visible } = subject
  return findRepeats(subject).runs.some(({ first, last }) => visible.start(first) <= start && start < visible.end(last))
}
