// A newline that should have been escaped splits a record over several lines.
import { breakableLines, replaceBytes } from '../break-lines.ts'
import type { LineDamage } from '../line-damage.ts'

const NEWLINE = 0x0a
const ESCAPED = Buffer.from('\\n')

export const rawNewline: LineDamage = {
  id: 'raw-newline',
  title: 'record split over several lines',
  why: 'A line break inside a text was written without being escaped. The agent reads the record as two broken lines. A repair escapes the line break; the text stays the same.',
  rule: { joinedBy: ESCAPED },
  severity: 'survived',
  text: () => 'A raw newline splits a record over several lines, so the agent cannot read it.',
  reading: {
    severity: 'survived',
    text: () => 'A raw newline splits a record over several lines; it was joined again.',
    hint: 'Nothing is lost for reading; an agent may skip it.',
  },
  repair(log, { start, end }) {
    const bytes = log.bytes.range(start, end)
    const edits: { start: number; end: number; bytes: Buffer }[] = []
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1))
      edits.push({ start: start + at, end: start + at + 1, bytes: ESCAPED })
    return { edits, reason: 'Escape the newline inside the record' }
  },
  inflict(log, random, spared) {
    // Finds an escaped newline, but not an escaped backslash before an n.
    const places = breakableLines(log)
      .slice(spared)
      .flatMap(line => {
        const at = log.indexOf(ESCAPED, line.start)
        return at !== -1 && at < line.end && log[at - 1] !== 0x5c ? [at] : []
      })
    const at = places[random.below(Math.max(1, places.length))]
    if (at === undefined) return undefined
    const bytes = replaceBytes(log, at, at + ESCAPED.length, '\n')
    return { bytes, what: `the escaped newline at ${at} made a raw one`, destroyed: 0 }
  },
}
