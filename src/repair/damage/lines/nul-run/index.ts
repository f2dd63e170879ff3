// NUL bytes are where data should be: the file had grown, and the machine lost power before the data
// reached the disk. The repair is the default for lines (shared/make-line-damage.ts): it blanks the bytes.
import type { Stray } from '../../../../bytes/records.ts'
import { breakableLines, pickLine, replaceBytes } from '../break-lines.ts'
import type { LineDamage } from '../line-damage.ts'
import { countNuls } from '../line-damage.ts'

/**
 * NULs at least as long as the shortest border between two records, `"}` newline `{"`, may have replaced such
 * a border. Joining both sides could then merge two messages into one.
 */
const SHORTEST_BORDER_BYTES = 5

const text = (bytes: number): string => `${countNuls(bytes)}, as left by a crash of the machine.`

export const nulRun: LineDamage = {
  id: 'nul-run',
  title: 'NUL bytes instead of text',
  why: 'The machine lost power or the disk was full while the file was written, which leaves NUL bytes. The agent cannot read the records they cover. A repair blanks the NUL bytes, so that the records around them load.',
  rule: { findStrays: findRuns },
  severity: 'lost',
  text,
  reading: { severity: 'lost', text },
  inflict(log, random, spared) {
    const line = pickLine(breakableLines(log), random, spared)
    if (line === undefined) return undefined
    const nuls = Buffer.alloc(1 + random.below(4096))
    if (random.next() < 0.5) {
      // Between two records, so nothing is destroyed.
      const bytes = replaceBytes(log, line.start, line.start, nuls)
      return { bytes, what: `${countNuls(nuls.length)} before the record at ${line.start}`, destroyed: 0 }
    }
    const from = line.start + random.below(line.end - line.start)
    const to = Math.min(line.end, from + Math.max(nuls.length, 8))
    return {
      bytes: replaceBytes(log, from, to, Buffer.alloc(to - from)),
      what: `NUL bytes from ${from} to ${to}`,
      destroyed: 1,
    }
  },
}

function* findRuns(line: Buffer): Generator<Stray, void, void> {
  for (let from = line.indexOf(0); from !== -1; ) {
    let to = from
    while (line[to] === 0) to++
    yield { from, to, isBorder: to - from >= SHORTEST_BORDER_BYTES }
    from = line.indexOf(0, to)
  }
}
