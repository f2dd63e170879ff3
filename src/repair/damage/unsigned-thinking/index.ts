// A thinking block has no signature. The model's API accepts its own thinking only with its signature.
import { breakContent } from '../shared/break-content.ts'
import { makeContentDamage } from '../shared/content.ts'

export const unsignedThinking = makeContentDamage({
  id: 'unsigned-thinking',
  kind: 'unsigned',
  title: 'thinking without a signature',
  why: 'A thinking block has no signature. The model’s service refuses every request that contains it. A repair removes the block and keeps it in the vault.',
  inflict: breakContent({
    pattern: /"signature":"[^"]+"/,
    by: () => '"signature":""',
    what: 'the signature of a thinking block removed',
  }),
})
