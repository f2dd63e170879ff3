// The state that a reading collects and a checkpoint stores. Plain data, so that a later reading can continue
// from it.
import type { Message } from '../../../model/message.ts'
import { isConversation } from '../../../model/message.ts'
import type { Branch, RecordCounts } from '../../../model/reading.ts'
import { shorten } from '../../stores/title.ts'
import type { RolloutContext } from '../records/interpret.ts'
import type { UsageState } from '../records/usage.ts'
import { newUsageState } from '../records/usage.ts'
import type { FactNotes } from './facts.ts'
import { promptOf } from './facts.ts'
import type { Seen } from './scan.ts'

export interface RolloutState {
  notes: FactNotes
  context: RolloutContext
  usage: UsageState
  counts: RecordCounts
  branches: Branch[]
  enveloped: boolean
  /** Whether a record has already shown what kind of file this is. */
  decided: boolean
}

export function beginState(before: RolloutState | undefined, seen: Seen): RolloutState {
  const state: RolloutState = structuredClone(before) ?? {
    notes: {},
    context: { eventsOnly: false, compacted: false },
    usage: newUsageState(),
    counts: { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 },
    branches: [],
    enveloped: false,
    decided: false,
  }
  if (!state.decided) {
    state.decided = seen.items || seen.events
    state.context.eventsOnly = seen.events && !seen.items
  }
  return state
}

const MAX_PREVIEW_CHARACTERS = 80

export function addToBranch(state: RolloutState, id: string, message: Message): void {
  if (!isConversation(message)) return
  const known = state.branches.findLast(candidate => candidate.id === id)
  const branch: Branch = known ?? { id, kind: 'abandoned', messages: 0, title: '' }
  if (known === undefined) state.branches.push(branch)
  branch.messages++
  if (branch.title === '')
    branch.title = shorten(promptOf(message).slice(0, 1000).replace(/\s+/g, ' ').trim(), MAX_PREVIEW_CHARACTERS)
}
