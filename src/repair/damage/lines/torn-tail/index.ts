// The last record is incomplete, and its writer is gone. Unrepaired, the next record would be appended to it
// and lost as well.
import { breakableLines, replaceBytes } from '../break-lines.ts'
import type { LineDamage } from '../line-damage.ts'
import { countBytes } from '../line-damage.ts'

export const tornTail: LineDamage = {
  id: 'torn-tail',
  title: 'unfinished last record',
  why: 'A process was killed while it wrote the last record. The agent would write the next record onto the same line and lose both. A repair blanks the unfinished record.',
  rule: { place: 'end-of-file' },
  severity: 'lost',
  text: bytes =>
    `The last ${countBytes(bytes)} are the beginning of a record that was never finished; the next record would be lost with it.`,
  textWhileWritten: 'The last record is not complete: the agent may still be writing it.',
  reading: {
    severity: 'updating',
    text: bytes => `The last ${countBytes(bytes)} are the beginning of a record that is not complete.`,
    hint: 'If the agent is running, read again in a moment. If it is not, it was stopped while writing.',
  },
  inflict(log, random, spared) {
    const lines = breakableLines(log)
    const last = lines.at(-1)
    if (last === undefined || lines.length <= spared + 1) return undefined
    const length = 1 + random.below(last.end - last.start - 1)
    const bytes = replaceBytes(log, last.start + length, log.length, '')
    return { bytes, what: `the last record cut after ${length} bytes`, destroyed: 1 }
  },
}
