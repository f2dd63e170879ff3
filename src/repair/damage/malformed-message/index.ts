// A message is valid JSON but not of the form that its agent expects. The agent fails on it, or silently
// leaves it out.
import { breakContent, TEXT_BLOCK } from '../shared/break-content.ts'
import { makeStoreDamage } from '../shared/store-damage.ts'

export const malformedMessage = makeStoreDamage({
  id: 'malformed-message',
  title: 'a message in the wrong form',
  why: 'The message is stored in a form that the agent does not expect. It fails on the message or skips it. A repair keeps its text in the expected form, and the vault keeps what was there.',
  knownBy: repair => repair.shapes,
  find: (shapes, subject) => shapes.findWrong(subject),
  inflict: breakContent({
    pattern: TEXT_BLOCK,
    by: found => `null,${found}`,
    what: 'a null put before a block of text',
  }),
})
