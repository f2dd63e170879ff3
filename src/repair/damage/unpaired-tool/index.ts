// A tool call has no result, a result has no call, or a call has a second result. The model's API rejects the
// conversation, or the agent leaves them out.

import type { LogDamage } from '../damage.ts'
import { planRepairs } from '../shared/store-damage.ts'
import { detect } from './detect.ts'
import { inflict } from './inflict.ts'

export const unpairedTool: LogDamage = {
  id: 'unpaired-tool',
  title: 'tool call or result without its other half',
  why: 'A tool call has lost its result, or a result its call. The model’s service refuses such a conversation. A repair adds what is missing, or removes the half that is left.',
  framing: 'json-lines',
  appliesTo: (traits, repair) => traits.toolPairs && traits.isCompressed !== true && repair.tools !== undefined,
  detect,
  plan: (subject, detected) => planRepairs('unpaired-tool', subject, detected),
  inflict,
}
