// The record that says which session this is was lost or torn, and without it the agent loads nothing. It is made again from facts alone, or not at all.
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
    // Where there is no record at all, no header is missed.
    if (subject.index.length === 0 || header.isPresent(subject)) return []
    const rebuilt = await header.rebuild(subject)
    const repair = 'refused' in rebuilt ? rebuilt : { edits: [rebuilt], reason: rebuilt.reason }
    const text = 'No record names the session, so the agent finds nothing to load.'
    return [{ start: 0, end: 0, text, repair: repair }]
  },
  inflict,
})
