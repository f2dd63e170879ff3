// Half a character, written as an escape: valid JSON that is no text, and that the model's API refuses.
import { breakContent, TEXT_BLOCK } from '../break-content.ts'
import { makeContentDamage } from '../content.ts'

export const loneSurrogate = makeContentDamage({
  id: 'lone-surrogate',
  title: 'half a character in a text',
  inflict: breakContent({
    pattern: TEXT_BLOCK,
    by: found => `${found}\\ud83d`,
    what: 'half a character put in',
  }),
})
