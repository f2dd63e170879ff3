// Shared by all content damage classes. The store finds what the model's API rejects, and each class handles
// one kind.
import type { RejectedContent } from '../../../agents/repair.ts'
import type { Inflict, LogDamage } from '../damage.ts'
import { makeStoreDamage } from './store-damage.ts'

export interface ContentDamage {
  id: string
  /** The kind of rejected content that this class handles. */
  kind: RejectedContent['kind']
  title: string
  why: string
  inflict: Inflict
}

export function makeContentDamage({ kind, ...damage }: ContentDamage): LogDamage {
  return makeStoreDamage({
    ...damage,
    knownBy: repair => repair.content,
    find: (content, subject) => content.findRejected(subject).filter(found => found.kind === kind),
  })
}
