// Reads the records in one pass. Only a file with rolled back turns needs an earlier pass to find them.

import { pace } from '../../../disk/files/pace.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { decompressFile } from '../../../disk/files/zstd.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { FilePlace, Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import type { Interpreted } from '../records/interpret.ts'
import { interpret } from '../records/interpret.ts'
import type { EventPairs } from '../records/lone-events.ts'
import { UsageJoiner } from '../records/usage.ts'
import { isCompressed } from '../rollout-name.ts'
import { noteMessage, noteRecord } from './facts.ts'
import { goesBack, openRollout, pairEvents, type Rollout, type Seen, type Source, scanForWords } from './rollout.ts'
import { addToBranch, beginState, endRollout, type NotedState, type RolloutState } from './state.ts'
import type { Stretch } from './turns.ts'
import { branchId, findStretches, isShown } from './turns.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  if (isCompressed(session.filePath)) return readCompressed(session, options)
  const source = { path: session.filePath, root: session.storeRoot, shownAs: session.filePath }
  return pace(readSession(source, session, options))
}

async function* readCompressed(session: SessionRef, options: ReadOptions): Reading {
  const copy = await decompressFile(session.filePath, session.storeRoot)
  const { path, folder, damage, bytes } = copy
  const source: Source = { path, root: folder, shownAs: session.filePath, compressed: { damage, bytes } }
  const { after: _, ...again } = options
  try {
    return yield* pace(readSession(source, session, again))
  } finally {
    copy.remove()
  }
}

function* readSession(source: Source, session: SessionRef, options: ReadOptions): Generator<Message, ReadingEnd, void> {
  const rollout = openRollout(source, {
    after: options.branch === undefined ? options.after : undefined,
    isOnce: options.isOnce,
  })
  try {
    const seen = scanForWords(rollout)
    const before = rollout.state as RolloutState | undefined
    const hasEvents = seen.events || before?.events !== undefined
    const pairs =
      hasEvents && (seen.items || before !== undefined) ? pairEvents(rollout, before?.events, seen) : undefined
    seen.rollbacks ??= scanForWords(rollout, false).rollbacks
    if (!rollout.continued || (pairs?.contradicts !== true && continues(rollout, rollout.state as RolloutState, seen)))
      return yield* readRollout(rollout, source, session, { seen, pairs, branch: options.branch })
  } finally {
    rollout.close()
  }
  const { after: _, ...again } = options
  return yield* readSession(source, session, again)
}

/**
 * Whether the earlier reading is still right: nothing was rolled back or written again, and the file was not
 * read as one without response items.
 */
function continues(rollout: Rollout, before: RolloutState, seen: Seen): boolean {
  if (seen.rollbacks === true || (before.context.eventsOnly && seen.items)) return false
  return !goesBack(rollout, before.notes.lastTime)
}

interface Pass {
  seen: Seen
  pairs: EventPairs | undefined
  branch: string | undefined
}

function* readRollout(
  rollout: Rollout,
  source: Source,
  session: SessionRef,
  { seen, pairs, branch }: Pass,
): Generator<Message, ReadingEnd, void> {
  const state = beginState(rollout.state as RolloutState | undefined, seen)
  const stretches = seen.rollbacks === true ? findStretches(rollout, { ...state.context }) : []
  const before = branch === undefined ? undefined : rollbackOf(branch, stretches, session)
  const stretchAt = walk(stretches)
  const joiner = new UsageJoiner(state.usage)
  const findings = new Findings()
  const lone = state.context.eventsOnly ? new Set<number>() : (pairs?.lone() ?? new Set<number>())
  if (pairs !== undefined) state.events = pairs.state()
  const records = rollout.records(findings)
  let step = records.next()
  for (; !step.done; step = records.next()) {
    const record = step.value
    const stretch = stretchAt(record.at.start)
    noteRecord(state.notes, record.value)
    const isLone = lone.has(record.at.start)
    const interpreted = interpret(record, state.context, isLone)
    if (isLone) noteLone(record.at, interpreted, findings)
    note(state, interpreted, stretch)
    if (isShown(stretch, before)) yield* give(joiner, interpreted)
  }
  yield* joiner.flush()
  state.enveloped = rollout.isEnveloped()
  state.counts.records += step.value.records
  state.counts.skipped += step.value.skipped
  return endRollout({ rollout, source, session, state, findings, parsedUpTo: step.value.parsedUpTo, branch })
}

/** The message is not lost, but the agent itself does not load it from there. */
function noteLone(at: FilePlace, { type }: Interpreted, findings: Findings): void {
  if (type !== 'message') return
  findings.add({
    damage: 'item-only-in-event',
    severity: 'survived',
    at,
    text: 'The record of this message is torn or missing. It is shown from an event that repeats it.',
    hint: `See what the agent would load: rethread check ${quote(at.file)}`,
  })
}

/** Counts and remembers facts of a record, whether or not it is shown. */
export function note(state: NotedState, interpreted: Interpreted, stretch: Stretch): void {
  switch (interpreted.type) {
    case 'message':
      countUnknown(state.counts, interpreted.message.parts)
      noteMessage(state.notes, interpreted.message, stretch.droppedBy === undefined)
      if (stretch.droppedBy !== undefined) addToBranch(state, branchId(stretch.droppedBy), interpreted.message)
      return
    case 'unknown':
      state.counts.unknown++
      return
    default:
      state.counts.bookkeeping++
  }
}

/** The messages that are given with this record, in their order. */
export function give(joiner: UsageJoiner, interpreted: Interpreted): readonly Message[] {
  if (interpreted.type === 'usage') return joiner.count(interpreted.count)
  return interpreted.type === 'bookkeeping' ? NONE : joiner.add(interpreted.message)
}

const NONE: readonly Message[] = []

/** The stretch of each record, asked for in the order of the file. */
function walk(stretches: Stretch[]): (start: number) => Stretch {
  let at = 0
  const everything: Stretch = { start: 0 }
  return start => {
    for (let next = stretches[at + 1]; next !== undefined && next.start <= start; next = stretches[at + 1]) at++
    return stretches[at] ?? everything
  }
}

function rollbackOf(branch: string, stretches: Stretch[], session: SessionRef): number {
  const dropped = stretches.find(({ droppedBy }) => droppedBy !== undefined && branchId(droppedBy) === branch)
  if (dropped?.droppedBy !== undefined) return dropped.droppedBy
  throw new RethreadError({
    code: 'usage',
    text: `There is no branch ${branch} in ${session.filePath}.`,
    hint: `List them: rethread show ${quote(session.filePath)}`,
    path: session.filePath,
  })
}
