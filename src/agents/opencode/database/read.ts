// Reads a session from the database message by message. Parts come through the index on their message. Memory
// holds one message at a time.
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { streamDatabase } from '../../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { Message, RowPlace } from '../../../model/message.ts'
import type { Reading, ReadingEnd } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import { ConversationBuilder } from '../conversation.ts'
import type { StoredPart } from '../parts.ts'
import { asMillis, assertBranch, infoFromRow, type SessionInfo, worktreeOf } from '../session-info.ts'
import { fromNewerRow, fromWaitingInput } from './newer-messages.ts'
import {
  dataOf,
  hasMessages,
  headerRowLost,
  INPUTS,
  malformedRow,
  messageRows,
  NEWER_MESSAGES,
  newerRows,
  orphanPart,
  orphanParts,
  partRows,
  sessionRow,
  waitingInputs,
} from './rows.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  const use = (database: Database) => readRows(database, session, options.branch)
  return streamDatabase(session.filePath, session.storeRoot, use, options)
}

function* readRows(
  database: Database,
  session: SessionRef,
  branch: string | undefined,
): Generator<Message, ReadingEnd, void> {
  const { sessionId } = session
  const conversation = openConversation(database, session, branch)
  const reader = new RowReader(database, conversation)
  for (const row of inOrder(messageRows(database, sessionId), newerRows(database, sessionId))) {
    const shown = reader.take(row)
    if (shown !== undefined) yield shown
  }
  for (const waiting of waitingInputs(database, sessionId)) {
    const shown = reader.takeWaiting(waiting)
    if (shown !== undefined) yield shown
  }
  return endConversation(database, session, conversation, reader.parts)
}

/** Throws for a session that the database does not have. */
export function openConversation(database: Database, session: SessionRef, branch?: string): ConversationBuilder {
  const { sessionId } = session
  const row = sessionRow(database, sessionId)
  if (row === undefined && !hasMessages(database, sessionId)) throw notInDatabase(session)
  const info = row === undefined ? {} : infoFromRow(row)
  assertBranch(session, info, branch)
  const conversation = new ConversationBuilder(sessionId, info, branch)
  if (row === undefined) skip(conversation, headerRowLost({ file: database.path, table: 'session', row: sessionId }))
  else conversation.counts.records++
  return conversation
}

/** `parts` is how many of the older table were read. */
export function endConversation(
  database: Database,
  { sessionId }: SessionRef,
  conversation: ConversationBuilder,
  parts: number,
): ReadingEnd {
  for (const part of orphanParts(database, sessionId, parts))
    skip(conversation, orphanPart(place(database, 'part', part), part['message_id']))
  return conversation.end(worktree(database, conversation.info))
}

/** Reads messages with their parts. */
export class RowReader {
  parts = 0
  readonly #database: Database
  readonly #conversation: ConversationBuilder

  constructor(database: Database, conversation: ConversationBuilder) {
    this.#database = database
    this.#conversation = conversation
  }

  /** Undefined for a row that is not shown. */
  take({ isNewer, row }: OrderedRow): Message | undefined {
    if (isNewer) return takeNewer(this.#database, row, this.#conversation)
    const parts = partRows(this.#database, String(row['id']))
    this.parts += parts.length
    return takeMessage(this.#database, row, parts, this.#conversation)
  }

  /** A prompt that is not yet a message of the conversation. */
  takeWaiting(row: Row): Message | undefined {
    const at = place(this.#database, INPUTS, row)
    const value = dataOf(row)
    if (value !== undefined) return this.#conversation.takeNotice(fromWaitingInput(row, value, at))
    skip(this.#conversation, malformedRow(at))
    return undefined
  }
}

function takeMessage(
  database: Database,
  row: Row,
  partRowsOfIt: Row[],
  conversation: ConversationBuilder,
): Message | undefined {
  const at = place(database, 'message', row)
  const value = dataOf(row)
  if (value === undefined) skip(conversation, malformedRow(at))
  const parts = partRowsOfIt.flatMap((part): StoredPart[] => {
    const data = dataOf(part)
    if (data !== undefined) return [{ id: String(part['id']), value: data }]
    skip(conversation, malformedRow(place(database, 'part', part)))
    return []
  })
  return conversation.take({
    id: String(row['id']),
    value,
    parts,
    at,
    createdAt: asMillis(row['time_created']),
    updatedAt: asMillis(row['time_updated']),
  })
}

function takeNewer(database: Database, row: Row, conversation: ConversationBuilder): Message | undefined {
  if (row['is_repeat'] === 1) {
    conversation.counts.records++
    conversation.counts.bookkeeping++
    return undefined
  }
  const at = place(database, NEWER_MESSAGES, row)
  const value = dataOf(row)
  if (value === undefined) {
    skip(conversation, malformedRow(at))
    return undefined
  }
  const { type, stored } = fromNewerRow(row, value, at)
  return type === 'message' ? conversation.take(stored) : conversation.takeNotice(stored)
}

export interface OrderedRow {
  isNewer: boolean
  row: Row
}

/** The rows of both tables by time. Each table keeps its own order. */
export function* inOrder(older: Iterator<Row, void>, newer: Iterator<Row, void>): Generator<OrderedRow, void, void> {
  let left = older.next()
  let right = newer.next()
  while (!left.done || !right.done) {
    if (!right.done && (left.done || createdAt(right.value) < createdAt(left.value))) {
      yield { isNewer: true, row: right.value }
      right = newer.next()
    } else if (!left.done) {
      yield { isNewer: false, row: left.value }
      left = older.next()
    }
  }
}

function createdAt(row: Row): number {
  return asMillis(row['time_created']) ?? 0
}

function skip(conversation: ConversationBuilder, finding: ReturnType<typeof malformedRow>): void {
  conversation.findings.add(finding)
  conversation.counts.skipped++
}

function place(database: Database, table: string, row: Row): RowPlace {
  return { file: database.path, table, row: String(row['id']) }
}

function worktree(database: Database, { projectId, directory }: SessionInfo): string | undefined {
  if (projectId === undefined || directory !== undefined) return undefined
  if (!database.columns('project').has('worktree')) return undefined
  return worktreeOf(projectId, database.all('SELECT worktree FROM project WHERE id = ?', projectId)[0]?.['worktree'])
}

export function notInDatabase(session: SessionRef): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `Session ${session.sessionId} is not in ${session.filePath}.`,
    hint: 'See what is there: rethread list',
    path: session.filePath,
  })
}
