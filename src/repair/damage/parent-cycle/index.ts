// Parent links form a cycle. Older agents follow it forever.

import { findBreaks } from '../shared/link-breaks.ts'
import { makeLinkDamage } from '../shared/relink.ts'
import { inflict } from './inflict.ts'

export const parentCycle = makeLinkDamage({
  id: 'parent-cycle',
  title: 'links that run in a circle',
  why: 'The links between messages run in a circle, usually because two processes wrote to the file at once. On resume the agent stops here. A repair reconnects this message to the one before it.',
  find: subject => findBreaks(subject).filter(({ kind }) => kind === 'circle' || kind === 'opened'),
  texts: (subject, found) =>
    found.map(({ record }) => ({
      text:
        subject.index.parent(record) === record
          ? 'This message is linked to itself.'
          : 'This message is linked to a later one, so the links run in a circle.',
    })),
  inflict,
})
