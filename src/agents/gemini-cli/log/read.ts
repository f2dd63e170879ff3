// Reads a log in two passes: the first applies the changes, the second reads only the remaining messages. A large
// plain log is read in one.
import { pace } from '../../../disk/files/pace.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Branch, Reading, ReadingEnd, RecordCounts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import { Copies } from '../../stores/copies.ts'
import type { RecordLog } from '../../stores/json-lines.ts'
import { checkpointAt, openLog } from '../../stores/json-lines.ts'
import { shorten } from '../../stores/title.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import { factsFrom, notePrompt } from '../facts.ts'
import { messageOf, withoutRepeats } from '../messages.ts'
import { isRecord } from './changes.ts'
import { Fetcher } from './fetch.ts'
import type { EarlierReading, LogIndex } from './first-pass.ts'
import { foldLog, isSettled } from './first-pass.ts'
import type { Dropped, HistoryEntry } from './history.ts'
import { findSuperseded, PlainLog } from './plain.ts'

/** How many messages and results at the end of a checkpoint are stored, to recognise repetitions. */
const REMEMBERED = 256

interface State extends EarlierReading {
  counts: RecordCounts
  branches: Branch[]
}

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(readLogSession(session, options))
}

function* readLogSession(session: SessionRef, options: ReadOptions): Generator<Message, ReadingEnd, void> {
  const after = options.branch === undefined ? options.after : undefined
  const end = yield* tryReading(session, { ...options, after })
  // Messages that were given before are gone or changed, so everything is read again.
  return end ?? (yield* readLogSession(session, {}))
}

type Wanted = { [K in 'after' | 'branch' | 'isOnce']?: ReadOptions[K] | undefined }

/**
 * Undefined, with nothing given, if the checkpoint fits the file but the added changes affect earlier
 * messages.
 */
function* tryReading(session: SessionRef, wanted: Wanted): Generator<Message, ReadingEnd | undefined, void> {
  const log = openLog(session.filePath, session.storeRoot, isRecord, wanted)
  try {
    const superseded = wanted.branch === undefined ? findSuperseded(log) : undefined
    if (superseded !== undefined) return yield* readPlain(log, superseded, session)
    const index = foldLog(log, log.state as State | undefined)
    if (log.continued && index.rewrites) return undefined
    return yield* readMessages(log, index, session, wanted.branch)
  } finally {
    log.close()
  }
}

function* readMessages(
  log: RecordLog,
  index: LogIndex,
  session: SessionRef,
  branch: string | undefined,
): Generator<Message, ReadingEnd, void> {
  const before = log.state as State | undefined
  const counts: RecordCounts = { ...(before?.counts ?? { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }) }
  counts.records += index.end.records
  counts.skipped += index.end.skipped
  counts.bookkeeping += index.bookkeeping + index.history.superseded
  const dropped = index.history.dropped().filter(group => talkOf(group).length > 0)
  addWarnings(log, index)
  const shown = branch === undefined ? index : branchIndex(log, dropped, branch)
  yield* yieldMessages(log, shown, index, counts)
  const branches = before?.branches ?? dropped.map(group => branchOf(log, index, group))
  return endLog(log, session, { ...index, counts, branches, recent: index.history.recent(REMEMBERED) })
}

/** A log without rewinds and lists, in one pass over its records. */
function* readPlain(
  log: RecordLog,
  superseded: ReadonlySet<number>,
  session: SessionRef,
): Generator<Message, ReadingEnd, void> {
  const counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  const collected = { notes: { hashed: 0 }, findings: new Findings(), counts }
  const copies = new Copies(log.file)
  const plain = new PlainLog(log, superseded, collected, { copies, owners: new Map() })
  const records = log.records(collected.findings)
  let step = records.next()
  for (; !step.done; step = records.next()) yield* plain.add(step.value)
  copies.note(collected.findings)
  yield* plain.finish()
  const end = step.value
  counts.records += end.records
  counts.skipped += end.skipped
  const outcome = { ...collected, end, emptied: undefined, last: plain.last }
  addWarnings(log, outcome)
  return endLog(log, session, { ...outcome, branches: [], recent: plain.recent(REMEMBERED) })
}

interface Outcome extends Pick<LogIndex, 'notes' | 'findings' | 'end' | 'last'> {
  counts: RecordCounts
  branches: Branch[]
  recent: Pick<EarlierReading, 'known' | 'owners'>
}

function endLog(log: RecordLog, session: SessionRef, outcome: Outcome): ReadingEnd {
  const { notes, findings, counts, branches, recent } = outcome
  const { parsedUpTo } = outcome.end
  // A torn tail will be read again, so its skip is not counted in the checkpoint.
  const settled = { ...counts, skipped: counts.skipped - findings.updating }
  const state: State = { notes, ...recent, counts: settled, branches }
  const common = {
    facts: factsFrom(notes, session.project, session.subagentOf),
    counts,
    branches,
    continued: log.continued,
    ...(isSettled(log, outcome) ? checkpointAt(log, parsedUpTo, state) : {}),
  }
  return endReading(common, findings, { parsedUpTo, recovered: counts.records > 0 })
}

/** The conversation right before a branch was dropped from it. */
function branchIndex(log: RecordLog, dropped: Dropped[], branch: string): LogIndex {
  const group = dropped.find(({ entries }) => entries[0]?.id === branch)
  if (group !== undefined) return foldLog(log, undefined, group.by)
  const { path } = log.file
  const hint = `List them: rethread show ${quote(path)}`
  throw new RethreadError({ code: 'usage', text: `${path} has no branch ${branch}.`, hint, path })
}

/** The second pass. `shown` decides which messages are read; facts and findings go to `index`. */
function* yieldMessages(
  log: RecordLog,
  shown: LogIndex,
  index: LogIndex,
  counts: RecordCounts,
): Generator<Message, void, void> {
  const fetcher = new Fetcher(log, index.findings)
  const strays = shown.strays.values()
  let stray = strays.next()
  let given = 0
  const giveStrays = function* (upTo: number): Generator<Message, void, void> {
    for (; !stray.done && stray.value.after <= upTo; stray = strays.next()) {
      const interpreted = fetcher.stray(stray.value.range)
      if (interpreted === undefined) continue
      counts.unknown++
      const at = { file: log.file.path, ...stray.value.range }
      yield messageOf(interpreted, `@${at.start}`, undefined, at)
    }
  }
  for (const entry of shown.history.entries()) {
    yield* giveStrays(given++)
    const fetched = fetcher.message(entry)
    if (fetched === undefined) continue
    countUnknown(counts, fetched.parts)
    const interpreted = withoutRepeats(fetched, id => shown.history.isRepeat(id, entry.id))
    if (interpreted === undefined) {
      counts.bookkeeping++
      continue
    }
    notePrompt(index.notes, interpreted)
    yield messageOf(interpreted, entry.id, entry.time, { file: log.file.path, start: entry.start, end: entry.end })
  }
  yield* giveStrays(Number.POSITIVE_INFINITY)
}

function talkOf({ entries }: Dropped): HistoryEntry[] {
  return entries.filter(entry => entry.isTalk)
}

function branchOf(log: RecordLog, index: LogIndex, group: Dropped): Branch {
  const fetcher = new Fetcher(log, index.findings)
  const talk = talkOf(group)
  const first = talk[0] === undefined ? undefined : fetcher.message(talk[0])
  const text = first?.parts.map(part => (part.type === 'text' ? part.text : '')).join(' ') ?? ''
  return {
    id: group.entries[0]?.id ?? '',
    kind: 'abandoned',
    messages: talk.length,
    title: shorten(text.replace(/\s+/g, ' ').trim(), 80),
  }
}

/** Problems of the log as a whole that lose no message. */
export function addWarnings(log: RecordLog, index: Pick<LogIndex, 'notes' | 'findings' | 'end' | 'emptied'>): void {
  const file = log.file.path
  const hint = `Nothing is lost for reading. See the records: rethread show --raw ${quote(file)}`
  const { emptied, findings } = index
  if (emptied !== undefined) {
    const text = 'The agent emptied the conversation here and did not rewrite it; the earlier messages are still shown.'
    const hint = `The agent itself loads none of it. Repair it before it runs again: rethread repair ${quote(file)}`
    findings.add({ damage: 'emptied-history', severity: 'survived', at: emptied, text, hint })
  }
  if (index.end.records > 0 && index.notes.sessionId === undefined) {
    const text = 'No record names the session, so the agent does not load it.'
    findings.add({ damage: 'lost-header', severity: 'survived', at: { file, start: 0, end: 0 }, text, hint })
  }
}
