// Reads one conversation of the database: a JSON document in a column, turn by turn, up to the cut if there
// is one.

import type { DocumentItem } from '../../../bytes/document.ts'
import { readDocument } from '../../../bytes/document.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { streamDatabase } from '../../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message, RowPlace } from '../../../model/message.ts'
import { quoteSql, quoteWord } from '../../../model/paste.ts'
import type { PartialCause, Reading, ReadingEnd, RecordCounts, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import { titleFrom } from '../../stores/title.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asText, present } from '../../stores/values.ts'
import type { Draft } from '../blocks.ts'
import { notice } from '../blocks.ts'
import type { ConversationRow } from './discover.ts'
import { findRow, valueChunks } from './discover.ts'
import { interpretTurn, userDrafts } from './history.ts'

const SHAPE = {
  elements: 'history',
  fields: ['conversation_id', 'next_message', 'latest_summary', 'model', 'model_info'],
}

interface State {
  at: RowPlace
  findings: Findings
  counts: RecordCounts
  fields: Json
  prompt?: string | undefined
  model?: string | undefined
}

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  const use = (database: Database) => readRow(database, session.sessionId)
  return streamDatabase(session.filePath, session.storeRoot, use, options)
}

function* readRow(database: Database, id: string): Generator<Message, ReadingEnd, void> {
  const row = findRow(database, id)
  if (row === undefined) throw notFound(database, id)
  const state: State = {
    at: { file: database.path, table: row.table, row: row.storedId ?? row.key ?? row.id },
    findings: new Findings(),
    counts: { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 },
    fields: {},
  }
  const reading = readDocument(valueChunks(database, row), SHAPE)
  let step = reading.next()
  for (; !step.done; step = reading.next()) yield* itemMessages(step.value, state)
  const end = step.value
  if (!end.isDocument) throw notADocument(database, row)
  const cause = end.complete ? undefined : addCut(end.parsedUpTo, row.bytes, state)
  if (end.complete && !end.hasElements) addNoHistory(row.bytes, state)
  yield* trailingMessages(state)
  const common = { facts: factsFrom(row, state), counts: state.counts, branches: [], continued: false }
  return endReading(common, state.findings, { parsedUpTo: 0, recovered: state.counts.records > 0 }, cause)
}

function* itemMessages(item: DocumentItem, state: State): Generator<Message, void, void> {
  if (item.type === 'field') {
    state.fields[item.key] = item.value
    return
  }
  if (item.type === 'junk') {
    addJunk(item.end - item.start, state)
    return
  }
  const turn = state.counts.records++
  const interpreted = interpretTurn(item.value)
  if (interpreted.type === 'bookkeeping') state.counts.bookkeeping++
  else {
    countUnknown(
      state.counts,
      interpreted.drafts.flatMap(({ parts }) => parts),
    )
    yield* place(interpreted.drafts, `turn-${turn}`, state)
  }
}

function* place(drafts: Draft[], id: string, state: State): Generator<Message, void, void> {
  for (const [i, draft] of drafts.entries()) {
    if (draft.role === 'user') {
      const text = draft.parts.find(part => part.type === 'text')
      if (text !== undefined) state.prompt ??= titleFrom(text.text)
    }
    state.model = draft.model ?? state.model
    yield { id: `${id}.${i}`, ...draft, at: state.at }
  }
}

/** A prompt without an answer, and the summary of an earlier part of the conversation. */
function* trailingMessages(state: State): Generator<Message, void, void> {
  const next = asObject(state.fields['next_message'])
  if (next !== undefined) yield* place(userDrafts(next), 'next', state)
  const stored = state.fields['latest_summary']
  const summary = asText(stored) ?? asText(asArray(stored)?.[0])
  if (summary === undefined) return
  yield* place([notice(`Kiro compacted this conversation; it began with: ${summary}`, null)], 'summary', state)
}

function factsFrom(row: ConversationRow, state: State): SessionFacts {
  const info = asObject(state.fields['model_info'])
  return present<SessionFacts>({
    sessionId: row.id,
    title: state.prompt,
    project: row.key,
    startedAt: row.createdAt,
    updatedAt: row.updatedAt,
    model: asText(info?.['model_id']) ?? asText(state.fields['model']) ?? state.model,
  })
}

function addJunk(bytes: number, state: State): void {
  state.counts.skipped++
  state.findings.add({
    damage: 'malformed-element',
    severity: 'lost',
    at: state.at,
    text: `${bytes} bytes inside the conversation are not JSON; they were left out.`,
    hint: showValue(state.at),
  })
}

/** A database value is never half-written: a value that stops early is lost, and not still being written. */
function addCut(parsedUpTo: number, bytes: number, state: State): PartialCause {
  state.counts.skipped++
  state.findings.add({
    damage: 'document-cut-short',
    severity: 'lost',
    at: state.at,
    text: `The conversation is unreadable from byte ${parsedUpTo} of ${bytes} on; everything before was read.`,
    hint: showValue(state.at),
  })
  return { code: 'records-unreadable', text: 'The stored conversation ends before it is complete: it was cut short.' }
}

/** A value of a form that this reader does not know is not an empty conversation. */
function addNoHistory(bytes: number, state: State): void {
  state.counts.skipped++
  state.findings.add({
    damage: 'malformed-element',
    severity: 'lost',
    at: state.at,
    text: `The ${bytes} bytes of the conversation hold no list "${SHAPE.elements}": its messages cannot be read.`,
    hint: showValue(state.at),
  })
}

function showValue({ file, table, row }: RowPlace): string {
  const column = table === 'conversations_v2' ? 'conversation_id' : 'key'
  const sql = `SELECT value FROM ${table} WHERE ${column} = ${quoteSql(String(row))}`
  return `See it: sqlite3 -readonly ${quote(file)} ${quoteWord(sql)}`
}

function notFound(database: Database, id: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no conversation ${id} in ${database.path}.`,
    hint: 'See what is there: rethread list --agent kiro',
    path: database.path,
  })
}

function notADocument(database: Database, row: ConversationRow): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `The value of conversation ${row.id} in ${database.path} is not a JSON document.`,
    hint: showValue({ file: database.path, table: row.table, row: row.storedId ?? row.key ?? '' }),
    path: database.path,
  })
}
