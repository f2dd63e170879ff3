// A second header in the middle of the log: the agent takes what stands before it for another session, and does not load it.

import type { LogDamage } from '../damage.ts'
import { pick, readBreakableLog, replaceAll, viewOfBytes, wholeLine } from '../shared/break-records.ts'
import { detectInTheWay, planCures } from '../shared/edits.ts'
import { isInRun } from '../shared/repeats.ts'

const ID = 'repeated-header'
const REASON = 'Blank the second header; the vault keeps it'

export const repeatedHeader: LogDamage = {
  id: ID,
  title: 'second header in the middle of the log',
  why: 'The first record of the session is in the log twice. On resume the agent starts at the second. A repair removes the copy.',
  framing: 'json-lines',
  concerns: (traits, mend) =>
    traits.headerRecord && traits.isCompressed !== true && mend.header?.findRepeated !== undefined,
  // One that was copied together with other records goes with them.
  detect: subject =>
    (subject.mend.header?.findRepeated?.(subject) ?? [])
      .filter(({ start }) => !isInRun(subject, start))
      .map(found => detectInTheWay(ID, subject, found, REASON)),
  plan: (subject, detected) => planCures(ID, subject, detected),
  inflict(target, random) {
    const log = readBreakableLog(target)
    const [header] = log?.records ?? []
    const [first, ...others] = log?.loaded ?? []
    const before = pick(others, random)
    if (log === undefined || header === undefined || first === undefined || before === undefined) return undefined
    const copy = log.bytes.subarray(header.start, wholeLine(log, header).end)
    const broken = replaceAll(log.bytes, [{ start: before.start, end: before.start, by: copy }])
    const view = viewOfBytes(log.mend, target.session, broken)
    if (log.mend.header?.findRepeated?.(view).length !== 1) return undefined
    target.write(target.session.filePath, broken)
    return { what: `the header written again at ${before.start}`, destroyed: 0 }
  },
}
