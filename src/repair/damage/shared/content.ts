// What all damages of content have in common: the agent's folder finds what the model's API refuses, and each damage takes its own kind.
import type { Poison } from '../../../agents/mend.ts'
import type { Inflict, LogDamage } from '../damage.ts'
import { detectFound, planCures } from './edits.ts'

export interface ContentDamage {
  id: string
  /** The kind of refused content that it is. */
  kind: Poison['kind']
  title: string
  why: string
  inflict: Inflict
}

export function makeContentDamage({ id, kind, title, why, inflict }: ContentDamage): LogDamage {
  return {
    id,
    title,
    why,
    framing: 'json-lines',
    concerns: (traits, mend) => traits.isCompressed !== true && mend.content !== undefined,
    detect: subject =>
      (subject.mend.content?.findPoison(subject) ?? [])
        .filter(found => found.kind === kind)
        .map(poison => detectFound(id, subject, poison, 'survived')),
    plan: (subject, detected) => planCures(id, subject, detected),
    inflict,
  }
}
