// A record that is JSON and that the agent does not take, because a field is missing or of another kind: it is left out, or nothing is loaded at all.
import { parseObject } from '../../../bytes/json.ts'
import type { LogDamage } from '../damage.ts'
import { pick, readBreakableLog, replaceAll } from '../shared/break-records.ts'
import { detectFound, planCures } from '../shared/edits.ts'

const ID = 'refused-record'

export const refusedRecord: LogDamage = {
  id: ID,
  title: 'record that the agent does not accept',
  why: 'The agent does not accept this record: it skips it or fails on it. A repair corrects what is unambiguous; the vault keeps the original.',
  framing: 'json-lines',
  concerns: (traits, mend) => traits.isCompressed !== true && mend.refusals !== undefined,
  detect: subject =>
    (subject.mend.refusals?.findRefused(subject) ?? []).map(({ isFatal, ...found }) => ({
      ...detectFound(ID, subject, found, 'survived'),
      ...(isFatal === true ? { isFatal } : {}),
    })),
  plan: (subject, detected) => planCures(ID, subject, detected),
  inflict(target, random) {
    const log = readBreakableLog(target)
    const record = log === undefined ? undefined : pick(log.loaded, random)
    if (log === undefined || record === undefined) return undefined
    const value = parseObject(log.bytes.subarray(record.start, record.end))
    const spoilt = value === undefined ? undefined : log.mend.refusals?.spoil(value, random.below(100))
    if (spoilt === undefined) return undefined
    target.write(target.session.filePath, replaceAll(log.bytes, [{ ...record, by: JSON.stringify(spoilt) }]))
    return { what: `a field of the record at ${record.start} spoilt`, destroyed: 0 }
  },
}
