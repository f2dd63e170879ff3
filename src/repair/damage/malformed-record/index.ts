// A line of which no record can be read. It cannot be brought back; blanked, it no longer stands in anybody's way.
import { linesOf, linesToSpare, pickLine, replaceBytes } from '../shared/break-lines.ts'
import { countBytes, makeLineDamage } from '../shared/lines.ts'

export const malformedRecord = makeLineDamage({
  id: 'malformed-record',
  title: 'line that is not a record',
  why: 'A record was cut off or overwritten, so it is not valid JSON. The agent cannot read it, and what it said is lost. A repair blanks it, so that everything after it loads.',
  kind: 'malformed-record',
  severity: 'lost',
  text: bytes => `${countBytes(bytes)} that are not a record: the agent loses what they said.`,
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const line = pickLine(linesOf(bytes), random, linesToSpare(target), 1)
    if (line === undefined) return undefined
    const length = 1 + random.below(line.end - line.start - 1)
    target.write(file, replaceBytes(bytes, line.start + length, line.end, ''))
    return { what: `the record at ${line.start} cut after ${length} bytes`, destroyed: 1 }
  },
})
