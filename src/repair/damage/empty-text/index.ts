// A text block is empty. The model's API rejects every request that contains one.
import { breakContent, TEXT_BLOCK } from '../shared/break-content.ts'
import { makeContentDamage } from '../shared/content.ts'

export const emptyText = makeContentDamage({
  id: 'empty-text',
  kind: 'blank',
  title: 'empty text',
  why: 'A block of text is empty. The model’s service refuses every request that contains it. A repair removes the block.',
  inflict: breakContent({
    pattern: TEXT_BLOCK,
    by: found => `{"type":"text","text":""},${found}`,
    what: 'an empty block of text put in',
  }),
})
