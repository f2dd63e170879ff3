// A record is valid JSON but the agent does not accept it: a field is missing or of another type. The agent
// leaves it out, or loads nothing at all.
import { parseObject } from '../../../bytes/json.ts'
import { applyReplacements, pickRecord, readBreakableLog } from '../shared/break-records.ts'
import { makeStoreDamage } from '../shared/store-damage.ts'

export const refusedRecord = makeStoreDamage({
  id: 'refused-record',
  title: 'record that the agent does not accept',
  why: 'The agent does not accept this record: it skips it or fails on it. A repair corrects what is unambiguous; the vault keeps the original.',
  knownBy: repair => repair.refusals,
  find: (refusals, subject) => refusals.findRefused(subject),
  inflict(target, random) {
    const log = readBreakableLog(target)
    const record = log === undefined ? undefined : pickRecord(log.loaded, random)
    if (log === undefined || record === undefined) return undefined
    const value = parseObject(log.bytes.subarray(record.start, record.end))
    const spoilt = value === undefined ? undefined : log.repair.refusals?.spoil(value, random.below(100))
    if (spoilt === undefined) return undefined
    target.write(target.session.filePath, applyReplacements(log.bytes, [{ ...record, by: JSON.stringify(spoilt) }]))
    // A text that was replaced by a number cannot be restored.
    const isLost = Object.entries(value ?? {}).some(
      ([name, before]) => typeof before === 'string' && typeof Reflect.get(spoilt, name) === 'number',
    )
    return { what: `a field of the record at ${record.start} spoilt`, destroyed: isLost ? 1 : 0 }
  },
})
