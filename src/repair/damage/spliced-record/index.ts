// The beginning of a record, and on the same line another one that is complete: two writers at once, or one that was stopped and began again.
import { linesOf, linesToSpare, pickLine, replaceBytes } from '../shared/break-lines.ts'
import { countBytes, makeLineDamage } from '../shared/lines.ts'

export const splicedRecord = makeLineDamage({
  id: 'spliced-record',
  title: 'torn record before a complete one',
  why: 'A process was killed while it wrote a record, and the next record followed on the same line. The agent can read neither. A repair blanks the torn part, so that the complete record loads.',
  kind: 'spliced-record',
  severity: 'lost',
  text: bytes =>
    `A record was cut off after ${countBytes(bytes)}, and the next one follows on the same line. The agent can read neither.`,
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const lines = linesOf(bytes)
    const torn = pickLine(lines, random, linesToSpare(target), 1)
    if (torn === undefined) return undefined
    // What was torn lasts at least to the name of its first field; the newline goes with the rest of it.
    const length = 2 + random.below(Math.max(1, torn.end - torn.start - 3))
    target.write(file, replaceBytes(bytes, torn.start + length, torn.end + 1, ''))
    return { what: `the record at ${torn.start} cut after ${length} bytes and glued to the next`, destroyed: 1 }
  },
})
