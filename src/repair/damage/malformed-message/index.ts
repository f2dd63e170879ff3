// A message that is JSON but not of the form that its agent expects: the agent fails on it, or leaves it out without a word.

import type { LogDamage } from '../damage.ts'
import { breakContent, TEXT_BLOCK } from '../shared/break-content.ts'
import { detectFound, planCures } from '../shared/edits.ts'

const DAMAGE = 'malformed-message'

export const malformedMessage: LogDamage = {
  id: DAMAGE,
  title: 'a message in the wrong form',
  why: 'The message is stored in a form that the agent does not expect. It fails on the message or skips it. A repair keeps its text in the expected form, and the vault keeps what was there.',
  framing: 'json-lines',
  concerns: (traits, mend) => traits.isCompressed !== true && mend.shapes !== undefined,
  detect: subject => {
    const wrong = subject.mend.shapes?.findWrong(subject) ?? []
    return wrong.map(found => detectFound(DAMAGE, subject, found, 'survived'))
  },
  plan: (subject, detected) => planCures(DAMAGE, subject, detected),
  inflict: breakContent({
    pattern: TEXT_BLOCK,
    by: found => `null,${found}`,
    what: 'a null put before a block of text',
  }),
}
