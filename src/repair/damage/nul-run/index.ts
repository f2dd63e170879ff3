// Zeros where bytes should be: the file had grown, and the machine went down before what was written reached the disk.
import { linesOf, linesToSpare, pickLine, replaceBytes } from '../shared/break-lines.ts'
import { countBytes, makeLineDamage } from '../shared/lines.ts'

export const nulRun = makeLineDamage({
  id: 'nul-run',
  title: 'zeros instead of text',
  why: 'The machine lost power or the disk was full while the file was written, which leaves zeros. The agent cannot read the records they cover. A repair blanks the zeros, so that the records around them load.',
  kind: 'nul-run',
  severity: 'lost',
  text: bytes => `${countBytes(bytes)} of zeros, as left by a crash of the machine.`,
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const line = pickLine(linesOf(bytes), random, linesToSpare(target))
    if (line === undefined) return undefined
    const zeros = Buffer.alloc(1 + random.below(4096))
    if (random.next() < 0.5) {
      // Between records: nothing is destroyed.
      target.write(file, replaceBytes(bytes, line.start, line.start, zeros))
      return { what: `${zeros.length} zeros before the record at ${line.start}`, destroyed: 0 }
    }
    const from = line.start + random.below(line.end - line.start)
    const to = Math.min(line.end, from + Math.max(zeros.length, 8))
    target.write(file, replaceBytes(bytes, from, to, Buffer.alloc(to - from)))
    return { what: `zeros from ${from} to ${to}`, destroyed: 1 }
  },
})
