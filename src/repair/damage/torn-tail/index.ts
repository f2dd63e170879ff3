// The last record was not written to its end, and nobody is writing any more. Left as it is, the next record would be glued to it and lost with it.

import { paste } from '../../../model/paste.ts'
import type { LogDamage } from '../damage.ts'
import { linesOf, linesToSpare, replaceBytes } from '../shared/break-lines.ts'
import { countBytes, makeLineDamage } from '../shared/lines.ts'

const ofDeadWriter = makeLineDamage({
  id: 'torn-tail',
  title: 'unfinished last record',
  why: 'A process was killed while it wrote the last record. The agent would write the next record onto the same line and lose both. A repair blanks the unfinished record.',
  kind: 'torn-tail',
  severity: 'lost',
  text: bytes =>
    `The last ${countBytes(bytes)} are the beginning of a record that was never finished; the next record would be lost with it.`,
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const lines = linesOf(bytes)
    const last = lines.at(-1)
    if (last === undefined || lines.length <= linesToSpare(target) + 1) return undefined
    const length = 1 + random.below(last.end - last.start - 1)
    target.write(file, replaceBytes(bytes, last.start + length, bytes.length, ''))
    return { what: `the last record cut after ${length} bytes`, destroyed: 1 }
  },
})

export const tornTail: LogDamage = {
  ...ofDeadWriter,
  // The end of a file that is being written is no damage, and never to be touched.
  detect: async subject => {
    const detected = await ofDeadWriter.detect(subject)
    if (!subject.isLive) return detected
    return detected.map(({ finding, detail }) => ({
      finding: {
        ...finding,
        severity: 'updating',
        text: 'The last record is not complete: the agent may still be writing it.',
        hint: `Check again in a moment: ${paste('rethread check', subject.session.sessionId)}`,
      },
      detail,
    }))
  },
  plan: (subject, detected) =>
    ofDeadWriter.plan(
      subject,
      detected.filter(({ finding }) => finding.severity !== 'updating'),
    ),
}
