// Reads the messages of the branch that the conversation is on. If the file is not plainly linear, a first
// pass collects the links.

import { pace } from '../../../disk/files/pace.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Branch, Reading, ReadingEnd, RecordCounts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import type { LogEnd, RecordLog } from '../../stores/json-lines.ts'
import { checkpointAt, openLog } from '../../stores/json-lines.ts'
import { shorten } from '../../stores/title.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asString, asText } from '../../stores/values.ts'
import type { ShownChain } from './chain.ts'
import { followChain } from './chain.ts'
import type { FactNotes } from './facts.ts'
import { factsFrom, noteFacts } from './facts.ts'
import { isLinear } from './linear.ts'
import { indexLinks, type Links } from './links.ts'
import type { OpenMessage } from './message-joiner.ts'
import { MessageJoiner } from './message-joiner.ts'
import { interpret, isTalk } from './messages.ts'
import { proveLinks } from './prove-links.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(readSession(session, options))
}

/** How many records at the end of a checkpoint are stored, to recognise later lines of the last message. */
const REMEMBERED = 64

/** What a later reading needs to know. Plain data. */
interface State {
  notes: FactNotes
  leaf: string | undefined
  recent: string[]
  counts: RecordCounts
  branches: Branch[]
  open: OpenMessage | undefined
}

function* readSession(session: SessionRef, options: ReadOptions): Generator<Message, ReadingEnd, void> {
  const after = options.branch === undefined ? options.after : undefined
  const log = openLog(session.filePath, session.storeRoot, isRecord, { after, isOnce: options.isOnce })
  try {
    if (!log.continued && options.branch === undefined && isLinear(log.file.chunks()))
      return yield* readMessages(log, undefined)
    const links = (log.continued ? undefined : proveLinks(log.file)) ?? indexLinks(log)
    if (!log.continued || continues(links, log.state as State))
      return yield* readMessages(log, { links, chain: followChain(links, options.branch) })
  } finally {
    log.close()
  }
  // The conversation was rewound to another branch, so the earlier reading no longer fits. Reads everything
  // again.
  return yield* readSession(session, { ...(options.isOnce === true ? { isOnce: true } : {}) })
}

/** Any of these fields makes a JSON object inside a torn line a record and not a piece of one. */
export function isRecord(value: Json): boolean {
  return (
    typeof value['type'] === 'string' &&
    ('sessionId' in value || 'uuid' in value || 'leafUuid' in value || 'messageId' in value)
  )
}

/** Whether the new records only continue from the end of the last reading. */
function continues(links: Links, before: State): boolean {
  const recent = new Set(before.recent)
  for (const { index, parent, group } of links.orphans()) {
    if (links.isSidechain(index) || parent === before.leaf) continue
    const isSameMessage = group !== undefined && group === before.open?.group
    const belongsToLast = links.isResult(index) || isSameMessage || !links.isTalk(index)
    if (!belongsToLast || !recent.has(parent)) return false
  }
  return true
}

/** Which records are shown. Undefined: all of them. */
type Choice = { links: Links; chain: ShownChain } | undefined

function* readMessages(log: RecordLog, choice: Choice): Generator<Message, ReadingEnd, void> {
  const before = log.state as State | undefined
  const state = beginState(before)
  const findings = new Findings()
  const previews = new Map<number, string>()
  const end = yield* yieldMessages(log, choice, state, findings, previews)
  const branches = choice?.chain.branches ?? []
  for (const { start, ...rest } of branches) state.branches.push({ ...rest, title: previews.get(start) ?? '' })
  state.leaf = choice?.chain.leaf ?? state.leaf
  state.counts.records += end.records
  const isOwn = (uuid: string): boolean => choice?.links.has(uuid) === true || before?.recent.includes(uuid) === true
  const { notes, counts } = state
  const common = {
    facts: factsFrom(notes, isOwn),
    counts: { ...counts, skipped: counts.skipped + end.skipped },
    branches: state.branches,
    continued: log.continued,
    ...checkpointAt(log, end.parsedUpTo, settledState(state, end, findings)),
  }
  return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered: counts.records > 0 })
}

/** A torn tail will be read again, so its skip is not counted in the checkpoint. */
function settledState(state: State, { skipped }: LogEnd, findings: Findings): State {
  const { counts } = state
  return { ...state, counts: { ...counts, skipped: counts.skipped + skipped - findings.updating } }
}

function beginState(before: State | undefined): State {
  if (before !== undefined) return structuredClone(before)
  const counts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  return { notes: { summaries: {} }, leaf: undefined, recent: [], counts, branches: [], open: undefined }
}

/**
 * Yields the messages and collects the state. The start of each branch goes into `previews`, by the offset of
 * its first record.
 */
function* yieldMessages(
  log: RecordLog,
  choice: Choice,
  state: State,
  findings: Findings,
  previews: Map<number, string>,
): Generator<Message, LogEnd, void> {
  const branchStarts = new Set(choice?.chain.branches.map(({ start }) => start))
  const isShown = makeFilter(choice)
  const joiner = new MessageJoiner({ open: state.open })
  const records = log.records(findings)
  let step = records.next()
  for (; !step.done; step = records.next()) {
    const { value, at } = step.value
    noteFacts(state.notes, value)
    if (branchStarts.has(at.start)) previews.set(at.start, previewOf(value))
    const isWanted = isShown(at.start)
    noteTail(state, value, isWanted)
    const interpreted = interpret(step.value)
    if (interpreted.type === 'bookkeeping') state.counts.bookkeeping++
    else {
      countUnknown(state.counts, interpreted.message.parts)
      if (isWanted)
        yield* joiner.add(interpreted.message, interpreted.type === 'message' ? interpreted.group : undefined)
    }
  }
  yield* joiner.flush()
  state.recent = state.recent.slice(-REMEMBERED)
  state.open = joiner.open
  return step.value
}

/** Both passes meet the records in the same order, so comparing with the next link is enough. */
function makeFilter(choice: Choice): (start: number) => boolean {
  if (choice === undefined) return () => true
  const { links, chain } = choice
  let next = 0
  return start => {
    while (next < links.length && links.start(next) < start) next++
    // A record without a uuid is in no chain and always shown.
    return links.start(next) !== start || chain.isShown(next)
  }
}

function noteTail(state: State, record: Json, isWanted: boolean): void {
  const uuid = asText(record['uuid'])
  if (uuid === undefined) return
  state.recent.push(uuid)
  if (state.recent.length > 16 * REMEMBERED) state.recent = state.recent.slice(-REMEMBERED)
  if (isWanted && isTalk(record)) state.leaf = uuid
}

function previewOf(record: Json): string {
  const content = asObject(record['message'])?.['content']
  return shorten((asString(content) ?? '').replace(/\s+/g, ' ').trim(), 80)
}
