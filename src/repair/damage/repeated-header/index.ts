// A second header is in the middle of the log. The agent takes what precedes it for another session and
// does not load it.
import { applyReplacements, pickRecord, readBreakableLog, viewOfBytes, wholeLine } from '../shared/break-records.ts'
import { isInRun } from '../shared/repeats.ts'
import { blankRecord, makeStoreDamage } from '../shared/store-damage.ts'

const REASON = 'Blank the second header; the vault keeps it'

export const repeatedHeader = makeStoreDamage({
  id: 'repeated-header',
  title: 'second header in the middle of the log',
  why: 'The first record of the session is in the log twice. On resume the agent starts at the second. A repair removes the copy.',
  appliesTo: traits => traits.headerRecord,
  knownBy: repair => (repair.header?.findRepeated === undefined ? undefined : repair.header),
  // A header that was copied together with other records is handled with them.
  find: (header, subject) =>
    (header.findRepeated?.(subject) ?? [])
      .filter(({ start }) => !isInRun(subject, start))
      .map(found => blankRecord(found, REASON)),
  inflict(target, random) {
    const log = readBreakableLog(target)
    const [header] = log?.records ?? []
    const [first, ...others] = log?.loaded ?? []
    const before = pickRecord(others, random)
    if (log === undefined || header === undefined || first === undefined || before === undefined) return undefined
    const copy = log.bytes.subarray(header.start, wholeLine(log, header).end)
    const broken = applyReplacements(log.bytes, [{ start: before.start, end: before.start, by: copy }])
    const view = viewOfBytes(log.repair, target.session, broken)
    if (log.repair.header?.findRepeated?.(view).length !== 1) return undefined
    target.write(target.session.filePath, broken)
    return { what: `the header written again at ${before.start}`, destroyed: 0 }
  },
})
