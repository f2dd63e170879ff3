// A history list replaces an existing conversation with nothing: the agent was stopped before it wrote
// everything again. The repair blanks the list, so that it replaces nothing.
import type { LogSubject } from '../damage.ts'
import { applyReplacements, readBreakableLog } from '../shared/break-records.ts'
import { findRepeats } from '../shared/repeats.ts'
import { blankRecord, makeStoreDamage } from '../shared/store-damage.ts'

const REASON = 'Blank the list, so that nothing is replaced; the vault keeps it'

export const emptiedHistory = makeStoreDamage({
  id: 'emptied-history',
  title: 'conversation that was emptied',
  why: 'A record in the log empties the conversation for the agent. A repair removes that record, and the vault keeps it.',
  version: 2,
  textWhileWritten: 'The conversation was emptied here: an agent that is just resuming writes everything again.',
  knownBy: repair => repair.lists,
  // A copy of an earlier list is handled with the other copies.
  find: (lists, subject) =>
    lists
      .findEmptied(subject)
      .filter(({ start }) => !isCopy(subject, start))
      .map(found => blankRecord(found, REASON)),
  inflict(target, random) {
    const log = readBreakableLog(target)
    const [first, ...others] = log?.loaded ?? []
    if (log?.repair.lists === undefined || first === undefined || others.length < 2) return undefined
    const before = others[1 + random.below(others.length - 1)]?.start ?? log.bytes.length
    const line = Buffer.concat([log.repair.lists.write(), Buffer.from('\n')])
    target.write(target.session.filePath, applyReplacements(log.bytes, [{ start: before, end: before, by: line }]))
    return { what: `the conversation emptied at ${before}`, destroyed: 0 }
  },
})

function isCopy(subject: LogSubject, start: number): boolean {
  const { visible } = subject
  return findRepeats(subject).runs.some(({ first, last }) => visible.start(first) <= start && start < visible.end(last))
}
