// A record rewinds the conversation to a message that does not exist, and the agent drops everything. The
// repair blanks the record, so that nothing is rewound.
import { blankRecord, makeStoreDamage, repairFirst } from '../shared/store-damage.ts'

const REASON = 'Blank the record that rewinds to a missing message; the vault keeps it'

export const danglingRewind = makeStoreDamage({
  id: 'dangling-rewind',
  title: 'rewind to a missing message',
  why: 'A record rewinds the conversation to a message that is not in the file. On resume the agent may drop the history before it. A repair blanks that record.',
  severity: 'lost',
  hint: repairFirst,
  appliesTo: traits => traits.rewinds === true,
  knownBy: repair => repair.rewinds,
  find: (rewinds, subject) => rewinds.findDangling(subject).map(found => blankRecord(found, REASON)),
  inflict(target, random) {
    const { session, repair } = target
    const record =
      repair.framing === 'json-lines' ? repair.rewinds?.write(`gone-${random.below(1_000_000)}`) : undefined
    if (record === undefined) return undefined
    target.write(session.filePath, Buffer.concat([target.read(session.filePath), record, Buffer.from('\n')]))
    return { what: 'a rewind to a message that never was', destroyed: 0 }
  },
})
