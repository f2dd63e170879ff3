// Two complete records on one line: the agent reads neither.
import { linesOf, linesToSpare, pickLine, replaceBytes } from '../shared/break-lines.ts'
import { makeLineDamage } from '../shared/lines.ts'

export const missingNewline = makeLineDamage({
  id: 'missing-newline',
  title: 'two records on one line',
  why: 'Two processes wrote at once, or a newline was lost, so two records share a line. The agent can read neither. A repair puts the newline back.',
  kind: 'missing-newline',
  severity: 'survived',
  text: () => 'Two records are on one line, and the agent reads neither.',
  mend: (_, junk) => ({
    edits: [{ start: junk.start, end: junk.end, bytes: Buffer.from('\n') }],
    reason: 'Insert the missing newline between two records',
  }),
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const line = pickLine(linesOf(bytes), random, linesToSpare(target), 1)
    if (line === undefined) return undefined
    target.write(file, replaceBytes(bytes, line.end, line.end + 1, ''))
    return { what: `the newline behind ${line.end} removed`, destroyed: 0 }
  },
})
