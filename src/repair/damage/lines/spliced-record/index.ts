// The start of one record and another complete record are on the same line: two processes wrote at once, or
// one was stopped and started again.
import { breakableLines, pickLine, replaceBytes } from '../break-lines.ts'
import type { LineDamage } from '../line-damage.ts'
import { countBytes } from '../line-damage.ts'

export const splicedRecord: LineDamage = {
  id: 'spliced-record',
  title: 'torn record before a complete one',
  why: 'A process was killed while it wrote a record, and the next record followed on the same line. The agent can read neither. A repair blanks the torn part, so that the complete record loads.',
  rule: { place: 'before-record' },
  severity: 'lost',
  text: bytes =>
    `A record was cut off after ${countBytes(bytes)}, and the next one follows on the same line. The agent can read neither.`,
  reading: {
    severity: 'lost',
    text: bytes =>
      `A record was cut off after ${countBytes(bytes)} and the next one follows on the same line; that one was read.`,
  },
  inflict(log, random, spared) {
    const torn = pickLine(breakableLines(log), random, spared, 1)
    if (torn === undefined) return undefined
    // The torn part keeps at least the name of its first field. The newline is removed with the rest.
    const length = 2 + random.below(Math.max(1, torn.end - torn.start - 3))
    const bytes = replaceBytes(log, torn.start + length, torn.end + 1, '')
    return { bytes, what: `the record at ${torn.start} cut after ${length} bytes and glued to the next`, destroyed: 1 }
  },
}
