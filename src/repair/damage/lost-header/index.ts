// The record that identifies the session is lost or torn, and the agent loads nothing without it. The repair
// rebuilds it from known facts, or refuses.

import { parseObject } from '../../../bytes/json.ts'
import type { Inflict, InflictTarget } from '../damage.ts'
import { breakableLines } from '../lines/break-lines.ts'
import { makeStoreDamage, repairFirst } from '../shared/store-damage.ts'

/** Removes every header from a log, or leaves only the start of the first one. */
const inflict: Inflict = (target, random) => {
  const { filePath } = target.session
  const bytes = target.read(filePath)
  const lines = breakableLines(bytes)
  const headers = lines.filter(({ start, end }) => isHeader(target, bytes.subarray(start, end)))
  const [first] = headers
  if (first === undefined || headers.length === lines.length) return undefined
  const kept = random.below(2) === 0 ? 0 : 1 + random.below(first.end - first.start - 1)
  const pieces: Buffer[] = []
  let from = 0
  for (const { start, end } of headers) {
    pieces.push(bytes.subarray(from, start), bytes.subarray(start, start === first.start ? start + kept : start))
    // Removes the newline as well, unless something is left on the line.
    from = start === first.start && kept > 0 ? end : end + 1
  }
  target.write(filePath, Buffer.concat([...pieces, bytes.subarray(from)]))
  return { what: kept === 0 ? 'the header removed' : `the header cut after ${kept} bytes`, destroyed: 0 }
}

function isHeader({ repair }: InflictTarget, line: Buffer): boolean {
  const record = parseObject(line)
  return repair.framing === 'json-lines' && record !== undefined && repair.describe(record).kind === 'header'
}

export const lostHeader = makeStoreDamage({
  id: 'lost-header',
  title: 'lost header',
  why: 'The first record, which names the session, is missing or damaged. The agent does not find the session at all. A repair rebuilds it from what the other records say.',
  severity: 'lost',
  hint: repairFirst,
  appliesTo: traits => traits.headerRecord,
  knownBy: repair => repair.header,
  async find(header, subject) {
    // A log without any record does not lack a header.
    if (subject.index.length === 0 || header.isPresent(subject)) return []
    const rebuilt = await header.rebuild(subject)
    const repair = 'refused' in rebuilt ? rebuilt : { edits: [rebuilt], reason: rebuilt.reason }
    const text = 'No record names the session, so the agent finds nothing to load.'
    return [{ start: 0, end: 0, text, repair: repair }]
  },
  inflict,
})
