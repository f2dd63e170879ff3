// A record has a wrong time, or none. Agents that resume from the newest record start there, and lose what
// was said after it.
import { parseObject } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { Inflict } from '../damage.ts'
import { breakableLines, replaceBytes } from '../lines/break-lines.ts'
import { pickOne } from '../shared/break-links.ts'
import { makeStoreDamage } from '../shared/store-damage.ts'

const HOUR_MS = 3_600_000

/** Sets the time of one message in the middle an hour ahead, as a clock change does. */
const inflict: Inflict = ({ repair, session, read, write }, random) => {
  if (repair.framing !== 'json-lines' || repair.times === undefined) return undefined
  const { field } = repair.times
  const bytes = read(session.filePath)
  const dated = breakableLines(bytes).flatMap(line => {
    const own = bytes.subarray(line.start, line.end)
    const value = parseObject(own)
    const span = skimFields(own, fieldNames(field))?.[0]
    if (value === undefined || span === undefined || repair.describe(value).kind !== 'talk') return []
    return [{ start: line.start + span.start, end: line.start + span.end, time: Date.parse(String(value[field])) }]
  })
  const latest = dated.reduce((time, line) => Math.max(time, line.time), 0)
  const line = pickOne(dated.slice(0, -1), random)
  if (line === undefined) return undefined
  const ahead = new Date(latest + HOUR_MS).toISOString()
  write(session.filePath, replaceBytes(bytes, line.start, line.end, JSON.stringify(ahead)))
  return { what: `the time at ${line.start} set to ${ahead}`, destroyed: 0 }
}

export const wrongTime = makeStoreDamage({
  id: 'wrong-time',
  title: 'a record with a wrong time',
  why: 'The clock was changed, or the time was damaged. On resume the agent takes the wrong message for the last one. A repair gives this record a time that fits its neighbours.',
  knownBy: repair => repair.times,
  find: (times, subject) => times.findWrong(subject),
  inflict,
})
