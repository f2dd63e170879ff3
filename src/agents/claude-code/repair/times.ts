// The time of a record decides where a resume starts. Older versions take the newest record for the end of
// the conversation. Newer ones find no conversation if the last message has no time. A changed clock or an
// invalid time therefore hides messages.
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import { NONE, SUPERSEDED } from '../../../repair/records/record-index.ts'
import type { LogView, RawEdit, RepairableRecord, TimeRepair } from '../../repair.ts'
import { stopsOf } from '../loader/end.ts'
import type { LoaderLinks } from '../loader/links.ts'
import { linksFor } from '../loader/links.ts'
import { rulesFor } from '../loader/rules.ts'
import { walkFromEnd } from '../loader/walk.ts'

export const times: TimeRepair = { field: 'timestamp', findWrong }

const OPEN_BRACE = 0x7b

function findWrong(log: LogView): RepairableRecord[] {
  const links = linksFor(log.index, rulesFor(log.installedVersion ?? log.index.version))
  const last = lastSaid(links)
  if (last === NONE || reaches(links, log, last)) return []
  const { index } = links
  return chooseTimes(links, last).flatMap(({ record, time }) => {
    const edit = setTime(log, record, time)
    if (edit === undefined) return []
    const old = index.time(record)
    const text = Number.isNaN(old)
      ? 'The time of this record cannot be read, so a resume does not find the end of the conversation.'
      : `This record is dated ${new Date(old).toISOString()}, out of order with its neighbours, so a resume takes the wrong record for the last one.`
    const reason = `Set the time to ${new Date(time).toISOString()}, in order with its neighbours`
    return [{ start: index.start(record), end: index.end(record), text, repair: { edits: [edit], reason } }]
  })
}

/** The last message in the order of the file. A repeated record counts at its first place. */
function lastSaid(links: LoaderLinks): number {
  const { index, lane } = links
  const repeats = new Set<number>()
  const { flags } = index
  for (let record = 0; record < flags.length; record++)
    if (((flags[record] ?? 0) & SUPERSEDED) !== 0) repeats.add(index.latest(record))
  for (let record = index.length - 1; record >= 0; record--) {
    const isSaid = index.kind(record) === 'talk' && index.isSidechain(record) === lane
    if (isSaid && links.stops[record] === 1 && !repeats.has(record)) return record
  }
  return NONE
}

function reaches(links: LoaderLinks, log: LogView, last: number): boolean {
  return walkFromEnd(links, log.bytes).path.includes(last)
}

interface NewTime {
  record: number
  time: number
}

function chooseTimes(links: LoaderLinks, last: number): NewTime[] {
  const { index, rules } = links
  const stops = stopsOf(links)
  const undated = stops.filter(record => Number.isNaN(index.time(record)))
  // Once all records have a time, the next round finds the rest.
  if (undated.length > 0) return datedBeside(links, stops)
  if (rules.end !== 'newest') return []
  const late = stops.filter(record => record !== last && !isBefore(links, record, last))
  const latest = late.at(-1) ?? NONE
  const behind = stops.filter(record => record > latest)
  // Corrects the smaller group: the records dated too late, or the records after them dated too early.
  if (late.length > behind.length && latest < last) {
    const from = late.reduce((time, record) => Math.max(time, index.time(record)), 0)
    return behind.map((record, place) => ({ record, time: from + 1 + place }))
  }
  return datedBefore(links, stops, new Set(late), index.time(last))
}

/**
 * Records without a time: just after the previous record in the file that has one, or just before the next one if
 * there is none.
 */
function datedBeside({ index }: LoaderLinks, stops: readonly number[]): NewTime[] {
  const firstDated = stops.find(stop => !Number.isNaN(index.time(stop)))
  let time = firstDated === undefined ? 0 : index.time(firstDated) - 1
  const chosen: NewTime[] = []
  for (const record of stops) {
    if (Number.isNaN(index.time(record))) chosen.push({ record, time })
    else time = index.time(record) + 1
  }
  return chosen
}

/** Whether the agent would prefer `last`: of two records with the same time it takes the first. */
function isBefore({ index }: LoaderLinks, record: number, last: number): boolean {
  const time = index.time(record)
  return time < index.time(last) || (time === index.time(last) && record > last)
}

/** Records dated too late: the time of the last record before them in the file that is early enough. */
function datedBefore(
  { index }: LoaderLinks,
  stops: readonly number[],
  late: ReadonlySet<number>,
  before: number,
): NewTime[] {
  let time = before - 1
  const chosen: NewTime[] = []
  for (const record of stops) {
    if (late.has(record)) chosen.push({ record, time })
    else if (index.time(record) < before) time = index.time(record)
  }
  return chosen
}

function setTime({ index, bytes }: LogView, record: number, time: number): RawEdit | undefined {
  const start = index.start(record)
  const own = bytes.range(start, index.end(record))
  const span = skimFields(own, fieldNames(times.field))?.[0]
  const value = JSON.stringify(new Date(time).toISOString())
  if (span !== undefined) return { start: start + span.start, end: start + span.end, bytes: Buffer.from(value) }
  const brace = own.indexOf(OPEN_BRACE)
  if (brace === -1) return undefined
  const at = start + brace + 1
  return { start: at, end: at, bytes: Buffer.from(`${JSON.stringify(times.field)}:${value},`) }
}
