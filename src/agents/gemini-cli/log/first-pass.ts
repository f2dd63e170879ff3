// The first pass over a log: the changes of every record, and the places of the remaining messages.
import { quote } from '../../../disk/files/system-errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { FilePlace } from '../../../model/message.ts'
import { standsAt } from '../../../repair/damage/lines/index.ts'
import { Copies } from '../../stores/copies.ts'
import type { LogEnd, LogRecord, RecordLog } from '../../stores/json-lines.ts'
import { asObject, asString } from '../../stores/values.ts'
import type { FactNotes } from '../facts.ts'
import { noteMessage, noteMetadata } from '../facts.ts'
import { interpret, resultIds } from '../messages.ts'
import type { LogChange } from './changes.ts'
import { changeOf } from './changes.ts'
import type { HistoryEntry, RecordRange } from './history.ts'
import { History } from './history.ts'

export interface LogIndex {
  history: History
  /** Records of unknown kinds, each with the number of messages before it. */
  strays: { range: RecordRange; after: number }[]
  notes: FactNotes
  findings: Findings
  bookkeeping: number
  /** Whether a change affects earlier messages. */
  rewrites: boolean
  /** The last list, if it would empty the conversation. */
  emptied: FilePlace | undefined
  last: FilePlace | undefined
  end: LogEnd
}

export interface EarlierReading {
  notes: FactNotes
  known: string[]
  owners: [string, string][]
}

/**
 * Reads the log from where it was opened. `until` is an offset at which to stop, to get the conversation at
 * that point.
 */
export function foldLog(
  log: RecordLog,
  before: EarlierReading | undefined,
  until = Number.POSITIVE_INFINITY,
): LogIndex {
  const index: LogIndex = {
    history: new History(before?.known, before?.owners),
    strays: [],
    notes: structuredClone(before?.notes) ?? { hashed: 0 },
    findings: new Findings(),
    bookkeeping: 0,
    rewrites: false,
    emptied: undefined,
    last: undefined,
    end: { parsedUpTo: log.startOffset, records: 0, skipped: 0 },
  }
  const records = log.records(index.findings)
  const copies = new Copies(log.file)
  let step = records.next()
  for (; !step.done && step.value.at.start < until; step = records.next()) apply(index, step.value, copies)
  copies.note(index.findings)
  if (step.done) index.end = step.value
  else records.return(index.end)
  return index
}

/**
 * A message inside a list that is still being written looks like a record of its own. Only the complete line
 * shows which it is, so there is no checkpoint yet.
 */
export function isSettled(log: RecordLog, { last, findings }: Pick<LogIndex, 'last' | 'findings'>): boolean {
  if (last === undefined || last.end !== log.file.identity.size) return true
  return !findings.list.some(
    ({ damage, at }) => standsAt('before-record', damage) && 'end' in at && at.end === last.start,
  )
}

function apply(index: LogIndex, record: LogRecord, copies: Copies): void {
  const { value, at } = record
  index.last = at
  const change = changeOf(value)
  // Messages have ids and times, and lists hold such messages. The same bytes again are a copy, which would
  // undo later changes.
  if ((change.type === 'message' || isList(change)) && copies.has(record)) {
    index.bookkeeping++
    index.rewrites ||= change.type !== 'message'
    return
  }
  switch (change.type) {
    case 'message':
      index.history.put(entryOf(index, value, change.id, at, undefined))
      return
    case 'rewind':
      index.bookkeeping++
      index.rewrites = true
      if (!index.history.rewind(change.to, at.start)) addLostTarget(index.findings, change.to, at)
      return
    case 'metadata':
      index.bookkeeping++
      noteMetadata(index.notes, change.metadata)
      if (change.messages !== undefined) addAll(index, change.messages, at, change.replaces)
      return
    case 'unknown':
      index.strays.push({ range: at, after: index.history.length })
  }
}

function isList(change: LogChange): boolean {
  return change.type === 'metadata' && change.messages !== undefined
}

/**
 * A list replaces everything before it. A list that would empty the conversation is the first half of a
 * resume. If the second half is missing, it is skipped.
 */
function addAll(index: LogIndex, messages: unknown[], at: FilePlace, replaces: boolean): void {
  index.rewrites = true
  const entries = messages.map((message, element) => {
    const id = asString(asObject(message)?.['id']) ?? `@${at.start}.${element}`
    return entryOf(index, message, id, at, element)
  })
  if (!replaces) for (const entry of entries) index.history.put(entry)
  else if (entries.some(entry => entry.isTalk) || !index.history.hasTalk()) {
    index.history.replace(entries, at.start)
    index.emptied = undefined
  } else index.emptied = at
}

function entryOf(
  index: LogIndex,
  value: unknown,
  id: string,
  at: FilePlace,
  element: number | undefined,
): HistoryEntry {
  const interpreted = interpret(value)
  const record = asObject(value) ?? {}
  noteMessage(index.notes, record, interpreted)
  const { start, end } = at
  const results = resultIds(interpreted.parts)
  return {
    id,
    start,
    end,
    element,
    time: record['timestamp'],
    own: element === undefined ? { start, end, results } : undefined,
    isTalk: interpreted.role !== 'system',
    isTool: interpreted.role === 'tool',
    results,
  }
}

function addLostTarget(findings: Findings, target: string, at: FilePlace): void {
  findings.add({
    damage: 'lost-rewind-target',
    severity: 'survived',
    at,
    text: `The conversation was rewound to message ${target}, which is not in the file; all messages were kept.`,
    hint: `Nothing is lost for reading, but the agent itself would load none of them. See the record: rethread show --raw ${quote(at.file)}`,
  })
}
