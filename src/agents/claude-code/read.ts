// Reading takes two passes over the file: the first learns the links, the second gives the messages of the branch they lead along.
import { Findings } from '../../model/finding.ts'
import type { Message } from '../../model/message.ts'
import type { Branch, Checkpoint, Reading, ReadingEnd, RecordCounts } from '../../model/reading.ts'
import { endReading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ReadOptions } from '../agent.ts'
import type { Log, LogEnd, LogRecord } from '../stores/json-lines.ts'
import { makeCheckpoint, openLog } from '../stores/json-lines.ts'
import { pace } from '../stores/pace.ts'
import { shorten } from '../stores/title.ts'
import type { Json } from '../stores/values.ts'
import { asObject, asString, asText } from '../stores/values.ts'
import type { Chain } from './chain.ts'
import { followChain } from './chain.ts'
import type { FactNotes } from './facts.ts'
import { factsFrom, noteFacts } from './facts.ts'
import type { Link } from './links.ts'
import { Links } from './links.ts'
import { groupOf, interpret, isTalk } from './messages.ts'
import type { OpenMessage } from './outbox.ts'
import { Outbox } from './outbox.ts'
import { skimRecord } from './skim.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(readSession(session, options))
}

/** How many records at the end of a checkpoint are remembered, to know lines that belong to the last message again. */
const REMEMBERED = 64

const TOOL_RESULT = Buffer.from('"tool_result"')

interface State {
  notes: FactNotes
  leaf: string | undefined
  recent: string[]
  counts: RecordCounts
  branches: Branch[]
  open: OpenMessage | undefined
}

function* readSession(session: SessionRef, options: ReadOptions): Generator<Message, ReadingEnd, void> {
  const log = openLog(
    session.filePath,
    session.storeRoot,
    isRecord,
    options.branch === undefined ? options.after : undefined,
  )
  try {
    const index = indexRecords(log)
    if (log.continued && !continues(index.links, log.state as State)) {
      // The conversation went back and took another branch: what was read before is no longer all of it.
      return yield* readSession(session, withoutCheckpoint(options))
    }
    return yield* readMessages(log, index, options.branch)
  } finally {
    log.close()
  }
}

function withoutCheckpoint(options: ReadOptions): ReadOptions {
  const { after: _, ...rest } = options
  return rest
}

/** Any of these makes a JSON object inside a torn line a record of its own rather than a piece of one. */
function isRecord(value: Json): boolean {
  return (
    typeof value['type'] === 'string' &&
    ('sessionId' in value || 'uuid' in value || 'leafUuid' in value || 'messageId' in value)
  )
}

interface Index {
  links: Links
  notes: FactNotes
}

/** The first pass only skims the records; what is wrong with them is found by the second, which reads them. */
function indexRecords(log: Log): Index {
  const notes: FactNotes = structuredClone((log.state as State | undefined)?.notes) ?? { summaries: {} }
  const links = new Links()
  for (const record of log.records(new Findings(), skimRecord)) {
    noteFacts(notes, record.value)
    const link = linkOf(record)
    if (link !== undefined) links.add(link)
  }
  return { links, notes }
}

function linkOf({ value: record, bytes, at }: LogRecord): Link | undefined {
  const uuid = asText(record['uuid'])
  // A snapshot's `messageId` equals a record's uuid; it is no record of the chain.
  if (uuid === undefined) return undefined
  return {
    start: at.start,
    uuid,
    parent: asText(record['parentUuid']),
    logicalParent: asText(record['logicalParentUuid']),
    sidechain: record['isSidechain'] === true,
    group: groupOf(record),
    // In a text the quotes would be escaped, so this is found only where it is a type.
    isResult: record['type'] === 'user' && bytes.includes(TOOL_RESULT),
    isTalk: isTalk(record),
  }
}

/** Whether the new records only carry on from where the last reading ended. */
function continues(links: Links, before: State): boolean {
  const recent = new Set(before.recent)
  for (const { index, parent, group } of links.strangers()) {
    if (links.isSidechain(index) || parent === before.leaf) continue
    const isSameMessage = group !== undefined && group === before.open?.group
    const belongsToLast = links.isResult(index) || isSameMessage || !links.isTalk(index)
    if (!belongsToLast || !recent.has(parent)) return false
  }
  return true
}

function* readMessages(log: Log, index: Index, branch: string | undefined): Generator<Message, ReadingEnd, void> {
  const before = log.state as State | undefined
  const chain = followChain(index.links, branch)
  const counts: RecordCounts = { ...(before?.counts ?? { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }) }
  const findings = new Findings()
  const previews = new Map<number, string>()
  const { open, end } = yield* giveMessages(log, { index, chain, counts, findings, previews }, before?.open)
  counts.records += end.records
  counts.skipped += end.skipped
  const branches = [
    ...(before?.branches ?? []),
    ...chain.branches.map(({ start, ...rest }) => ({ ...rest, title: previews.get(start) ?? '' })),
  ]
  const isOwn = (uuid: string): boolean => index.links.has(uuid) || before?.recent.includes(uuid) === true
  const state: State = {
    notes: index.notes,
    leaf: chain.leaf ?? before?.leaf,
    recent: [...(before?.recent ?? []), ...index.links.lastUuids(REMEMBERED)].slice(-REMEMBERED),
    // A torn tail will be read again: it counts as skipped for now, not for good.
    counts: { ...counts, skipped: counts.skipped - findings.updating },
    branches,
    open,
  }
  const checkpoint: Checkpoint = makeCheckpoint(log, end.parsedUpTo, state)
  const common = {
    facts: factsFrom(index.notes, isOwn),
    counts,
    branches,
    continued: log.continued,
    checkpoint,
  }
  return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered: counts.records > 0 })
}

interface Pass {
  index: Index
  chain: Chain
  counts: RecordCounts
  findings: Findings
  /** The beginning of each branch, by the offset of its first record. */
  previews: Map<number, string>
}

/** The second pass: the messages of the branch, and whatever is linked to nothing. */
function* giveMessages(
  log: Log,
  { index, chain, counts, findings, previews }: Pass,
  openBefore: OpenMessage | undefined,
): Generator<Message, { open: OpenMessage | undefined; end: LogEnd }, void> {
  const branchStarts = new Set(chain.branches.map(({ start }) => start))
  const outbox = new Outbox(openBefore)
  // Both passes meet the records in the same order, so the next link is always the one to compare with.
  let next = 0
  const records = log.records(findings)
  let step = records.next()
  for (; !step.done; step = records.next()) {
    const { value, at } = step.value
    while (next < index.links.length && index.links.start(next) < at.start) next++
    const isLinked = index.links.start(next) === at.start
    if (branchStarts.has(at.start)) previews.set(at.start, previewOf(value))
    const interpreted = interpret(step.value)
    if (interpreted.type === 'bookkeeping') {
      counts.bookkeeping++
      continue
    }
    if (interpreted.type === 'unknown') counts.unknown++
    if (isLinked && !chain.isShown(next)) continue
    yield* outbox.add(interpreted.message, interpreted.type === 'message' ? interpreted.group : undefined)
  }
  yield* outbox.flush()
  return { open: outbox.open, end: step.value }
}

function previewOf(record: Json): string {
  const content = asObject(record['message'])?.['content']
  return shorten((asString(content) ?? '').replace(/\s+/g, ' ').trim(), 80)
}
