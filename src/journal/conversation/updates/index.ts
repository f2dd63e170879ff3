// All families of updates, and what becomes of one that is in none.
import { fields } from '../../envelope.ts'
import { addPart } from '../answer.ts'
import { readString } from '../blocks.ts'
import { clipEnd, describeValue } from '../clip.ts'
import { MAX_NOTICE_CHARS } from '../apply-notes.ts'
import type { Step } from '../state.ts'
import { agentChunks } from './agent-chunks.ts'
import { commands } from './commands.ts'
import { mode } from './mode.ts'
import { notices } from './notices.ts'
import { plan } from './plan.ts'
import { sessionInfo } from './session-info.ts'
import { toolCalls } from './tool-calls.ts'
import type { UpdateFamily } from './update.ts'
import { usage } from './usage.ts'
import { userChunks } from './user-chunks.ts'

const FAMILIES: readonly UpdateFamily[] = [
  agentChunks,
  userChunks,
  toolCalls,
  plan,
  sessionInfo,
  mode,
  commands,
  usage,
  notices,
]

const BY_VARIANT = new Map(FAMILIES.flatMap(family => family.variants.map(variant => [variant, family] as const)))

export function applyUpdate(step: Step, value: unknown): void {
  const update = fields(value)
  const variant = readString(update['sessionUpdate']) ?? ''
  const family = BY_VARIANT.get(variant)
  if (family !== undefined) family.apply(step, update, variant)
  else applyUnknown(step, value, variant)
}

/** With content, in a turn, it is something that was said; the rest is only counted. */
function applyUnknown(step: Step, value: unknown, variant: string): void {
  const turn = step.state.turns.at(-1)
  if (turn !== undefined && 'content' in fields(value)) addPart(step, turn, { type: 'unknown', kind: variant, value })
  else step.notice('update', clipEnd(describeValue(value), MAX_NOTICE_CHARS))
}
