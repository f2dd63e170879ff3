// A record that goes on from a report of progress, which older agents do not know: for them everything before it is lost.
import { makeLinkDamage } from '../relink.ts'
import { findProgressLinks } from './detect.ts'
import { inflict } from './inflict.ts'

export const progressParent = makeLinkDamage({
  id: 'progress-parent',
  title: 'a link through a report of progress',
  find: findProgressLinks,
  texts: (_, found) =>
    found.map(() => 'The record goes on from a report of progress, at which the agent stops when it resumes.'),
  inflict,
})
