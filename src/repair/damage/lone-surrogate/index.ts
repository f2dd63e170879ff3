// A text contains half of a surrogate pair as an escape. That is valid JSON but not valid Unicode, and the
// model's API rejects it.
import { breakContent, TEXT_BLOCK } from '../shared/break-content.ts'
import { makeContentDamage } from '../shared/content.ts'

export const loneSurrogate = makeContentDamage({
  id: 'lone-surrogate',
  kind: 'half-character',
  title: 'half a character in a text',
  why: 'A text contains half of a character, left by a cut in the middle of it. The model’s service refuses every request that contains it. A repair puts a placeholder in its place.',
  inflict: breakContent({
    pattern: TEXT_BLOCK,
    by: found => `${found}\\ud83d`,
    what: 'half a character put in',
  }),
})
