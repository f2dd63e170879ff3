// A record broken over several lines by a newline that should have been escaped.
import { linesOf, linesToSpare, replaceBytes } from '../shared/break-lines.ts'
import { makeLineDamage } from '../shared/lines.ts'

const NEWLINE = 0x0a
const ESCAPED = Buffer.from('\\n')

export const rawNewline = makeLineDamage({
  id: 'raw-newline',
  title: 'record split over several lines',
  why: 'A line break inside a text was written without being escaped. The agent reads the record as two broken lines. A repair escapes the line break; the text stays the same.',
  kind: 'raw-newline',
  severity: 'survived',
  text: () => 'A raw newline splits a record over several lines, so the agent cannot read it.',
  mend(subject, junk) {
    const bytes = subject.bytes.range(junk.start, junk.end)
    const edits: { start: number; end: number; bytes: Buffer }[] = []
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1))
      edits.push({ start: junk.start + at, end: junk.start + at + 1, bytes: ESCAPED })
    return { edits, reason: 'Escape the newline inside the record' }
  },
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const lines = linesOf(bytes).slice(linesToSpare(target))
    // An escaped newline, and no escaped backslash before an n.
    const places = lines.flatMap(line => {
      const at = bytes.indexOf(ESCAPED, line.start)
      return at !== -1 && at < line.end && bytes[at - 1] !== 0x5c ? [at] : []
    })
    const at = places[random.below(Math.max(1, places.length))]
    if (at === undefined) return undefined
    target.write(file, replaceBytes(bytes, at, at + ESCAPED.length, '\n'))
    return { what: `the escaped newline at ${at} made a raw one`, destroyed: 0 }
  },
})
