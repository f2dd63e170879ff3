// A record takes the conversation back to a message that is not there, and the agent drops everything. Blanked, it takes back nothing.
import { paste } from '../../../model/paste.ts'
import type { Detected, LogDamage, LogSubject, Planned } from '../damage.ts'

const ID = 'dangling-rewind'
const SPACE = 0x20

export const danglingRewind: LogDamage = {
  id: ID,
  title: 'rewind to a missing message',
  why: 'A record rewinds the conversation to a message that is not in the file. On resume the agent may drop the history before it. A repair blanks that record.',
  framing: 'json-lines',
  concerns: (traits, mend) => traits.rewinds === true && traits.isCompressed !== true && mend.rewinds !== undefined,
  detect: subject => (subject.mend.rewinds?.findDangling(subject) ?? []).map(found => describe(subject, found)),
  plan,
  inflict(target, random) {
    const { session, mend } = target
    const record = mend.framing === 'json-lines' ? mend.rewinds?.write(`gone-${random.below(1_000_000)}`) : undefined
    if (record === undefined) return undefined
    target.write(session.filePath, Buffer.concat([target.read(session.filePath), record, Buffer.from('\n')]))
    return { what: 'a rewind to a message that never was', destroyed: 0 }
  },
}

interface Dangling {
  start: number
  end: number
  text: string
}

function describe({ session }: LogSubject, { start, end, text }: Dangling): Detected {
  const at = { file: session.filePath, start, end }
  const hint = `Repair it before the agent runs again: ${paste('rethread repair', session.sessionId)}`
  return { finding: { damage: ID, severity: 'lost', at, text, hint } }
}

/** The newline of the line stays where it is. */
function plan(subject: LogSubject, detected: readonly Detected[]): Planned {
  const reason = 'Blank the record that rewinds to a missing message; the vault keeps it'
  const edits = detected.flatMap(({ finding: { at } }) => {
    if (!('start' in at)) return []
    return [{ start: at.start, end: at.end, bytes: Buffer.alloc(at.end - at.start, SPACE), damage: ID, reason }]
  })
  return { changes: edits.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits }], refused: [] }
}
