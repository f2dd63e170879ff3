// Records that go on from each other in a circle: older agents follow it for ever.

import { findBreaks } from '../link-breaks.ts'
import { makeLinkDamage } from '../relink.ts'
import { inflict } from './inflict.ts'

export const parentCycle = makeLinkDamage({
  id: 'parent-cycle',
  title: 'links that run in a circle',
  find: subject => findBreaks(subject).filter(({ kind }) => kind === 'circle' || kind === 'opened'),
  texts: (subject, found) =>
    found.map(({ record }) =>
      subject.index.parent(record) === record
        ? 'The record goes on from itself.'
        : 'The record goes on from one that comes after it, so that the links lead in a circle.',
    ),
  inflict,
})
