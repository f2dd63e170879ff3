// The rows of one session. Schemas change, so optional columns are selected only if they exist.

import { quote } from '../../../disk/files/system-errors.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import type { Finding } from '../../../model/finding.ts'
import type { RowPlace } from '../../../model/message.ts'
import { quoteSql, quoteWord } from '../../../model/paste.ts'
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import { SESSION_COLUMNS } from '../session-info.ts'

/** A list of columns for SELECT, with NULL for columns that the table does not have. */
export function columnsOf(database: Database, table: string, names: readonly string[]): string {
  return names.map(name => `${columnOf(database, table, name)} AS ${name}`).join(', ')
}

/** cass knows databases whose times have these names. */
const OTHER_NAMES: Readonly<Record<string, string>> = { time_created: 'created_at', time_updated: 'updated_at' }

function columnOf(database: Database, table: string, name: string): string {
  const there = database.columns(table)
  const [found] = [name, OTHER_NAMES[name] ?? name].filter(candidate => there.has(candidate))
  return found === undefined ? 'NULL' : `${table}.${found}`
}

/** When a message was created, for SQL. */
export function messageTime(database: Database): string {
  return columnOf(database, 'message', 'time_created')
}

/**
 * The tables with sessions. No source of OpenCode has the second one. Of its columns, those with a known name
 * are used, and the database is reported as not known.
 */
const SESSION_TABLES = ['session', 'session_v2']

export function sessionTables(database: Database): string[] {
  return SESSION_TABLES.filter(table => database.columns(table).has('id'))
}

export function sessionRow(database: Database, sessionId: string): Row | undefined {
  for (const table of sessionTables(database)) {
    const columns = columnsOf(database, table, SESSION_COLUMNS)
    const [row] = database.all(`SELECT ${columns} FROM ${table} WHERE id = ?`, sessionId)
    if (row !== undefined) return row
  }
  return undefined
}

/** A database without the newer table and without the older one is damaged, and reading it must fail. */
export function hasOlder(database: Database): boolean {
  return database.hasTable('message') || !database.hasTable(NEWER_MESSAGES)
}

/** In the order of the agent's own loader, which an index gives without sorting. */
export function* messageRows(database: Database, sessionId: string): Generator<Row, void, void> {
  if (!hasOlder(database)) return
  yield* database.each(`SELECT ${messageColumns(database)} ${messagesInOrder(database)}`, sessionId)
}

function messageColumns(database: Database): string {
  return `id, data, ${columnsOf(database, 'message', ['time_created', 'time_updated'])}`
}

function messagesInOrder(database: Database): string {
  return `FROM message WHERE session_id = ? ORDER BY ${messageTime(database)}, id`
}

/** The messages of newer versions, each a row with all its parts. */
export const NEWER_MESSAGES = 'session_message'

/**
 * A session has rows in the older table, in the newer one, or first in one and then in the other. Early
 * versions of the newer table repeated the older one, under the ids of events.
 */
export function* newerRows(database: Database, sessionId: string): Generator<Row, void, void> {
  if (!hasNewer(database)) return
  yield* database.each(`SELECT ${newerColumns(database)} ${newerInOrder(database)}`, sessionId)
}

function hasNewer(database: Database): boolean {
  const columns = database.columns(NEWER_MESSAGES)
  return ['id', 'session_id', 'data'].every(name => columns.has(name))
}

function newerColumns(database: Database): string {
  const more = columnsOf(database, NEWER_MESSAGES, ['type', 'time_created', 'time_updated'])
  const isRepeat = database.hasTable('message')
    ? `EXISTS (SELECT 1 FROM message WHERE message.id = ${NEWER_MESSAGES}.id) OR (${NEWER_MESSAGES}.id GLOB 'evt_*'
        AND EXISTS (SELECT 1 FROM message WHERE message.session_id = ${NEWER_MESSAGES}.session_id))`
    : '0'
  return `id, data, ${more}, ${isRepeat} AS is_repeat`
}

function newerInOrder(database: Database): string {
  const order = database.columns(NEWER_MESSAGES).has('seq') ? 'seq' : 'rowid'
  return `FROM ${NEWER_MESSAGES} WHERE session_id = ? ORDER BY ${order}`
}

/** Where the rows of a session are, with the time that decides about the order of both tables. */
export function* findMessageRows(database: Database, sessionId: string): Generator<Row, void, void> {
  if (!hasOlder(database)) return
  const time = columnsOf(database, 'message', ['time_created'])
  yield* database.each(`SELECT rowid AS row, ${time} ${messagesInOrder(database)}`, sessionId)
}

export function* findNewerRows(database: Database, sessionId: string): Generator<Row, void, void> {
  if (!hasNewer(database)) return
  const time = columnsOf(database, NEWER_MESSAGES, ['time_created'])
  yield* database.each(`SELECT rowid AS row, ${time} ${newerInOrder(database)}`, sessionId)
}

/** A query for one row that was found, as it is among the rows of its session. */
export function selectFound(database: Database, isNewer: boolean): string {
  return isNewer
    ? `SELECT ${newerColumns(database)} FROM ${NEWER_MESSAGES} WHERE rowid = ?`
    : `SELECT ${messageColumns(database)} FROM message WHERE rowid = ?`
}

/** How many bytes such a row has, with its parts. */
export function bytesOfFound(database: Database, isNewer: boolean, row: number): number {
  const sql = isNewer
    ? `SELECT octet_length(data) AS bytes FROM ${NEWER_MESSAGES} WHERE rowid = ?`
    : `SELECT octet_length(data) + (SELECT total(octet_length(data)) FROM part WHERE message_id = message.id) AS bytes
        FROM message WHERE rowid = ?`
  return Number(database.get(sql, row)?.['bytes'] ?? 0)
}

/** Prompts that OpenCode has accepted and not yet given to the model. */
export function* waitingInputs(database: Database, sessionId: string): Generator<Row, void, void> {
  const columns = database.columns(INPUTS)
  if (!['id', 'session_id', 'prompt', 'promoted_seq'].every(name => columns.has(name))) return
  const order = columns.has('admitted_seq') ? 'admitted_seq' : 'rowid'
  const more = columnsOf(database, INPUTS, ['time_created'])
  const sql = `SELECT id, prompt AS data, ${more} FROM ${INPUTS} WHERE session_id = ? AND promoted_seq IS NULL ORDER BY ${order}`
  yield* database.each(sql, sessionId)
}

export const INPUTS = 'session_input'

/** Ordered by id alone: parts that were migrated from files all have the time of the migration. */
export function partRows(database: Database, messageId: string): Row[] {
  return database.all('SELECT id, data FROM part WHERE message_id = ? ORDER BY id', messageId)
}

export function hasMessages(database: Database, sessionId: string): boolean {
  const ask = (table: string): Row[] => database.all(`SELECT 1 FROM ${table} WHERE session_id = ? LIMIT 1`, sessionId)
  return ['message', NEWER_MESSAGES].some(table => database.columns(table).has('session_id') && ask(table).length > 0)
}

/** The parts of a session whose message does not exist. `known` parts have been read with their messages. */
export function orphanParts(database: Database, sessionId: string, known: number): Row[] {
  if (!database.columns('part').has('session_id') || !hasOlder(database)) return []
  const [count] = database.all('SELECT count(*) AS parts FROM part WHERE session_id = ?', sessionId)
  // Counting needs only an index. The rows are read only if the numbers differ.
  if (Number(count?.['parts']) <= known) return []
  return database.all(
    'SELECT id, message_id FROM part WHERE session_id = ? AND message_id NOT IN (SELECT id FROM message) ORDER BY id',
    sessionId,
  )
}

export function dataOf(row: Row): Json | undefined {
  const data = row['data']
  const text = data instanceof Uint8Array ? Buffer.from(data).toString('utf8') : data
  if (typeof text !== 'string') return undefined
  try {
    return asObject(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function malformedRow(at: RowPlace): Finding {
  return {
    damage: 'malformed-record',
    severity: 'lost',
    at,
    text: `Row ${at.row} of table ${at.table} is not JSON. It was left out.`,
    hint: `See what it holds: ${select(at, 'data')}`,
  }
}

export function orphanPart(at: RowPlace, messageId: unknown): Finding {
  return {
    damage: 'orphan-part',
    severity: 'lost',
    at,
    text: `Row ${at.row} of table ${at.table} belongs to message ${messageId}, which does not exist. It was left out.`,
    hint: `See what it holds: ${select(at, 'data')}`,
  }
}

export function headerRowLost(at: RowPlace): Finding {
  return {
    damage: 'lost-header',
    severity: 'lost',
    at,
    text: `The row with the title and the folder of session ${at.row} is gone; its messages are still there.`,
    hint: `See that it is: ${select(at, '*')}`,
  }
}

function select(at: RowPlace, what: string): string {
  const sql = `SELECT ${what} FROM ${at.table} WHERE id = ${quoteSql(String(at.row))}`
  return `sqlite3 -readonly ${quote(at.file)} ${quoteWord(sql)}`
}
