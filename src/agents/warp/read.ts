// Reads one conversation: from its tasks, which hold all messages, or from queries and commands if it has
// none.
import type { Database } from '../../disk/sqlite/read-database.ts'
import { streamDatabase } from '../../disk/sqlite/read-database.ts'
import { Findings } from '../../model/finding.ts'
import type { Message } from '../../model/message.ts'
import type { Reading, ReadingEnd, RecordCounts } from '../../model/reading.ts'
import { endReading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ReadOptions } from '../store.ts'
import { conversationNotFound, noteBrokenMessage, noteLostBytes, noteMalformedColumns } from './damage.ts'
import type { FactNotes } from './facts.ts'
import { factsFrom, noteMessage } from './facts.ts'
import { type HistoryRow, historyRows, readHistory } from './history.ts'
import { directoryOf, interpret, openMessage } from './messages.ts'
import { type ConversationRow, conversationRows } from './overview.ts'
import { rowNumber } from './rows.ts'
import type { Task, TaskEntry } from './tasks.ts'
import { indexTasks, isRoot, makeTaskSource } from './tasks.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  const use = (database: Database) => readConversation(database, session.sessionId)
  return streamDatabase(session.filePath, session.storeRoot, use, options)
}

/** What is collected while messages are read. */
export interface State {
  findings: Findings
  counts: RecordCounts
  notes: FactNotes
}

export function newState(): State {
  return { findings: new Findings(), counts: { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }, notes: {} }
}

function* readConversation(database: Database, id: string): Generator<Message, ReadingEnd, void> {
  const index = indexTasks(database, id)
  // Unreadable tasks must not hide what the other tables still have.
  const history = index.entries.length === 0 ? historyRows(database, id) : []
  const opened = openConversation(database, id, index.tasks, history)
  const { state } = opened
  const messages =
    index.entries.length > 0
      ? readTasks(database, { entries: index.entries, started: new Set(), bytesOf: makeTaskSource(database) }, state)
      : readHistory(database, history, state.findings, state.counts)
  let given = 0
  for (const message of messages) {
    given++
    noteMessage(state.notes, message)
    yield message
  }
  return endConversation(database, id, opened, given)
}

export interface OpenConversation {
  listed: ConversationRow | undefined
  tasks: readonly Task[]
  state: State
}

export function openConversation(
  database: Database,
  id: string,
  tasks: readonly Task[],
  history: readonly HistoryRow[] = [],
): OpenConversation {
  const [listed] = conversationRows(database, id)
  if (listed === undefined && tasks.length === 0 && history.length === 0) throw conversationNotFound(database, id)
  const state = newState()
  if (listed !== undefined) noteMalformedColumns(database, listed, state.findings)
  for (const task of tasks) state.counts.skipped += noteLostBytes(database, task, state.findings)
  return { listed, tasks, state }
}

/** `given` is how many messages were given. */
export function endConversation(
  database: Database,
  id: string,
  { listed, tasks, state }: OpenConversation,
  given: number,
): ReadingEnd {
  const facts = factsFrom(database, id, listed, tasks.find(isRoot)?.description, state.notes)
  const common = { facts, counts: state.counts, branches: [], continued: false }
  return endReading(common, state.findings, { parsedUpTo: 0, recovered: given > 0 })
}

export interface TaskMessages {
  entries: Iterable<TaskEntry>
  /** The tasks of which messages were given before. */
  started: Set<Task>
  bytesOf(entry: TaskEntry): Buffer
}

export function* readTasks(
  database: Database,
  { entries, started, bytesOf }: TaskMessages,
  state: State,
): Generator<Message, void, void> {
  const ids = new Set<string>()
  for (const entry of entries) {
    const opening = started.has(entry.task) ? undefined : openingOf(database, entry.task)
    started.add(entry.task)
    if (opening !== undefined) yield opening
    const message = readMessage(database, entry, bytesOf(entry), state)
    if (message === undefined) continue
    // Ids are unique by design. A damaged id that is not unique is replaced by its place.
    if (ids.has(message.id)) message.id = placeId(entry)
    ids.add(message.id)
    yield message
  }
}

function placeId({ task, start }: TaskEntry): string {
  return `@${task.row}:${start}`
}

/** A sub-task starts with its purpose. */
function openingOf(database: Database, task: Task): Message | undefined {
  if (isRoot(task) || task.description === undefined) return undefined
  const text = `Sub-task: ${task.description}`
  return {
    id: `@${task.row}`,
    role: 'system',
    time: null,
    parts: [{ type: 'notice', text }],
    at: placeOf(database, task),
  }
}

function readMessage(database: Database, entry: TaskEntry, bytes: Buffer, state: State): Message | undefined {
  const stored = openMessage(bytes)
  const interpreted = interpret(stored)
  state.counts.records++
  state.notes.directory ??= directoryOf(stored)
  if (stored.decoder.isBroken) {
    state.counts.skipped++
    noteBrokenMessage(database, entry, state.findings)
  }
  if (interpreted.type === 'bookkeeping') {
    state.counts.bookkeeping++
    state.notes.model = interpreted.model ?? state.notes.model
    return undefined
  }
  if (interpreted.type === 'unknown') state.counts.unknown++
  const { role, parts } = interpreted
  return { id: stored.id || placeId(entry), role, time: stored.time, parts, at: placeOf(database, entry.task) }
}

function placeOf(database: Database, task: Task) {
  return { file: database.path, table: 'agent_tasks', row: rowNumber(task.row) }
}
