// Two complete records are on one line. The agent reads neither.
import { breakableLines, pickLine, replaceBytes } from '../break-lines.ts'
import type { LineDamage } from '../line-damage.ts'

export const missingNewline: LineDamage = {
  id: 'missing-newline',
  title: 'two records on one line',
  why: 'Two processes wrote at once, or a newline was lost, so two records share a line. The agent can read neither. A repair puts the newline back.',
  rule: { place: 'between-records' },
  severity: 'survived',
  text: () => 'Two records are on one line, and the agent reads neither.',
  reading: {
    severity: 'survived',
    text: () => 'Two records are on one line; both were read.',
    hint: 'Nothing is lost for reading; an agent may skip both.',
  },
  repair: (_, { start, end }) => ({
    edits: [{ start, end, bytes: Buffer.from('\n') }],
    reason: 'Insert the missing newline between two records',
  }),
  inflict(log, random, spared) {
    const line = pickLine(breakableLines(log), random, spared, 1)
    if (line === undefined) return undefined
    const bytes = replaceBytes(log, line.end, line.end + 1, '')
    return { bytes, what: `the newline behind ${line.end} removed`, destroyed: 0 }
  },
}
