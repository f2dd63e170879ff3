// The record that identifies the session is lost or torn, and the agent loads nothing without it. The repair
// rebuilds it from known facts, or refuses.
import { makeStoreDamage, repairFirst } from '../shared/store-damage.ts'
import { inflict } from './inflict.ts'

export const lostHeader = makeStoreDamage({
  id: 'lost-header',
  title: 'lost header',
  why: 'The first record, which names the session, is missing or damaged. The agent does not find the session at all. A repair rebuilds it from what the other records say.',
  severity: 'lost',
  hint: repairFirst,
  appliesTo: traits => traits.headerRecord,
  knownBy: repair => repair.header,
  async find(header, subject) {
    // A log without any record does not lack a header.
    if (subject.index.length === 0 || header.isPresent(subject)) return []
    const rebuilt = await header.rebuild(subject)
    const repair = 'refused' in rebuilt ? rebuilt : { edits: [rebuilt], reason: rebuilt.reason }
    const text = 'No record names the session, so the agent finds nothing to load.'
    return [{ start: 0, end: 0, text, repair: repair }]
  },
  inflict,
})
