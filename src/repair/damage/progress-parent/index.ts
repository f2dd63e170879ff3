// The parent of a record is a progress record, which older agents do not know. They lose everything before
// it.
import type { LogDamage } from '../damage.ts'
import { makeLinkDamage } from '../shared/relink.ts'
import { findProgressLinks } from './detect.ts'
import { inflict } from './inflict.ts'

export const progressParent: LogDamage = {
  ...makeLinkDamage({
    id: 'progress-parent',
    title: 'a link through a progress report',
    why: 'This message is linked to a progress report instead of a message, as some versions of the agent write it. On resume the agent stops at the report. A repair reconnects the message to the one before it.',
    find: findProgressLinks,
    texts: (_, found) =>
      found.map(() => ({
        text: 'This message is linked to a progress report, where the agent stops when it resumes.',
      })),
    inflict,
  }),
  isOfEarlyVersions: true,
}
