// No record can be read from a line. The record is lost. The repair blanks the line, so that readers can pass
// it.
import { breakableLines, pickLine, replaceBytes } from '../break-lines.ts'
import type { LineDamage } from '../line-damage.ts'
import { countBytes } from '../line-damage.ts'

export const malformedRecord: LineDamage = {
  id: 'malformed-record',
  title: 'line that is not a record',
  why: 'A record was cut off or overwritten, so it is not valid JSON. The agent cannot read it, and what it said is lost. A repair blanks it, so that everything after it loads.',
  rule: { place: 'end-of-line' },
  severity: 'lost',
  text: bytes => `${countBytes(bytes)} that are not a record: the agent loses what they said.`,
  reading: { severity: 'lost', text: bytes => `${countBytes(bytes)} that are not a record.` },
  inflict(log, random, spared) {
    const line = pickLine(breakableLines(log), random, spared, 1)
    if (line === undefined) return undefined
    const length = 1 + random.below(line.end - line.start - 1)
    const bytes = replaceBytes(log, line.start + length, line.end, '')
    return { bytes, what: `the record at ${line.start} cut after ${length} bytes`, destroyed: 1 }
  },
}
