// The state that a reading collects and a checkpoint stores. Plain data, so that a later reading can continue
// from it.
import { quote } from '../../../disk/files/system-errors.ts'
import type { Findings } from '../../../model/finding.ts'
import { isConversation, type Message } from '../../../model/message.ts'
import {
  type Branch,
  endReading,
  type PartialCause,
  type ReadingEnd,
  type RecordCounts,
} from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { checkpointAt } from '../../stores/json-lines.ts'
import { shorten } from '../../stores/title.ts'
import type { RolloutContext } from '../records/interpret.ts'
import type { EventState } from '../records/lone-events.ts'
import { newUsageState, type UsageState } from '../records/usage.ts'
import { type FactNotes, factsFrom, promptOf } from './facts.ts'
import type { Rollout, Seen, Source } from './rollout.ts'

export interface NotedState {
  notes: FactNotes
  counts: RecordCounts
  branches: Branch[]
}

export interface RolloutState extends NotedState {
  context: RolloutContext
  usage: UsageState
  enveloped: boolean
  /** Absent if the file has no events, or nothing else. */
  events?: EventState
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

export function addToBranch(state: NotedState, id: string, message: Message): void {
  if (!isConversation(message)) return
  const known = state.branches.findLast(candidate => candidate.id === id)
  const branch: Branch = known ?? { id, kind: 'abandoned', messages: 0, title: '' }
  if (known === undefined) state.branches.push(branch)
  branch.messages++
  if (branch.title === '')
    branch.title = shorten(promptOf(message).slice(0, 1000).replace(/\s+/g, ' ').trim(), MAX_PREVIEW_CHARACTERS)
}

// The end of a reading: facts, losses, and the checkpoint from which a later reading can continue.

export interface RolloutEnding {
  rollout: Rollout
  source: Source
  session: SessionRef
  state: RolloutState
  findings: Findings
  parsedUpTo: number
  branch: string | undefined
}

export function endRollout(ending: RolloutEnding): ReadingEnd {
  const { rollout, source, session, state, findings, parsedUpTo } = ending
  const cause = noteDamage(ending)
  // A later reading does not continue from a branch, and a compressed file never grows.
  const canGoOn = ending.branch === undefined && source.compressed === undefined
  // A torn tail will be read again, so its skip is not counted in the checkpoint.
  const settled = { ...state, counts: { ...state.counts, skipped: state.counts.skipped - findings.updating } }
  const common = {
    facts: factsFrom(state.notes, session),
    counts: state.counts,
    branches: state.branches,
    continued: rollout.continued,
    ...(canGoOn ? checkpointAt(rollout, parsedUpTo, settled) : {}),
  }
  return endReading(common, findings, { parsedUpTo, recovered: state.counts.records > 0 }, cause)
}

/** The damage of a compressed file: its text ends where decompression failed. */
function noteDamage({ source, state, findings }: RolloutEnding): PartialCause | undefined {
  const damage = source.compressed?.damage
  if (source.compressed === undefined || damage === undefined) return undefined
  const { bytes } = source.compressed
  state.counts.skipped++
  findings.add({
    damage: 'compressed-file-damaged',
    severity: 'lost',
    at: { file: source.shownAs, start: bytes, end: bytes },
    text: `The compressed file cannot be decompressed beyond byte ${damage.usedBytes} of ${damage.fileBytes} (${damage.reason}); the ${bytes} bytes of text before were read.`,
    hint: `Test it: zstd -t ${quote(source.shownAs)}`,
  })
  return {
    code: 'records-unreadable',
    text: 'The compressed file is damaged or cut short; the readable part was read.',
  }
}
