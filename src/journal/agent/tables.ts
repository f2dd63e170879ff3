// The queries that find a conversation. Plain SQL, because kysely takes longer to load than these take to
// run.

import { parseJson } from '../../bytes/json.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { fields } from '../envelope.ts'
import type { SqlConnection, StoredRecord } from '../store/sql-connection.ts'

export interface SessionRow {
  number: number
  id: string
  agent: string
  cwd: string
  createdAt: number
  isDestroyed: boolean
  isConversation: boolean
}

const NEEDED: Record<string, readonly string[]> = {
  sessions: ['number', 'id', 'agent', 'cwd', 'created_at', 'destroyed_at'],
  events: ['session_id', 'seq', 'created_at', 'kind', 'payload_json'],
}

/**
 * False for a file without a journal yet. Throws for another program's database, or tables of an unknown
 * version.
 */
export function hasTables(connection: SqlConnection, path: string): boolean {
  if (connection.run('SELECT 1 FROM sqlite_master', []).rows.length === 0) return false
  for (const [table, columns] of Object.entries(NEEDED)) {
    const found = columnsOf(connection, table)
    if (columns.some(name => !found.has(name))) throw notAJournal(path)
  }
  return true
}

/** Reads from the newest session, or from the oldest where the first direction meets damage. */
export function* eachSession(connection: SqlConnection, way: 'newest' | 'oldest'): Generator<SessionRow, void, void> {
  // The first version of the tables had no kind.
  const kind = columnsOf(connection, 'sessions').has('kind') ? 'kind' : "'conversation'"
  const order = way === 'newest' ? 'DESC' : 'ASC'
  const columns = (NEEDED['sessions'] ?? []).join(', ')
  for (const row of connection.each(`SELECT ${columns}, ${kind} AS kind FROM sessions ORDER BY number ${order}`, []))
    yield readRow(row)
}

export function findRow(connection: SqlConnection, id: string): SessionRow | undefined {
  const [row] = connection.run('SELECT * FROM sessions WHERE id = ?', [id]).rows
  return row === undefined ? undefined : readRow({ kind: 'conversation', ...row })
}

/** The last event and its time. Undefined where there is none. */
export function lastEvent(connection: SqlConnection, id: string): { seq: number; at: number } | undefined {
  const sql = 'SELECT seq, created_at FROM events WHERE session_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1'
  const [row] = connection.run(sql, [id, Number.MAX_SAFE_INTEGER]).rows
  return row === undefined ? undefined : { seq: numberOf(row['seq']), at: numberOf(row['created_at']) }
}

/**
 * Whether a person said something, here or before the journal started. Such an event is among the first ones.
 */
export function hasPrompt(connection: SqlConnection, id: string): boolean {
  const sql = 'SELECT 1 FROM events WHERE session_id = ? AND kind IN (?, ?) LIMIT 1'
  return connection.run(sql, [id, 'session/prompt', 'session/update:user_message_chunk']).rows.length > 0
}

/** The stored text. Undefined where there is none. */
export function metadataText(connection: SqlConnection, id: string): string | undefined {
  if (columnsOf(connection, 'opencode_session_metadata').size === 0) return undefined
  const sql = 'SELECT metadata_json FROM opencode_session_metadata WHERE session_id = ?'
  const text = connection.run(sql, [id]).rows[0]?.['metadata_json']
  return typeof text === 'string' ? text : undefined
}

function columnsOf(connection: SqlConnection, table: string): Set<string> {
  return new Set(connection.run('SELECT name FROM pragma_table_info(?)', [table]).rows.map(({ name }) => String(name)))
}

function readRow(row: StoredRecord): SessionRow {
  return {
    number: numberOf(row['number']),
    id: String(row['id']),
    agent: String(row['agent']),
    cwd: String(row['cwd']),
    createdAt: numberOf(row['created_at']),
    isDestroyed: row['destroyed_at'] !== null,
    isConversation: row['kind'] === 'conversation',
  }
}

/** 0 for a damaged value. */
function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

function notAJournal(path: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} is not a journal that this rethread can read: its tables differ.`,
    hint: `If a newer rethread wrote it, install that version: npm install --global rethread@latest. Otherwise choose another file: --journal FILE. See what it is: file ${quote(path)}`,
    path,
  })
}

export interface KnownMetadata {
  title?: string
  /** The conversation it was forked from. */
  parent?: string
}

export function readMetadataText(text: string | undefined): KnownMetadata | undefined {
  if (text === undefined) return undefined
  const { title, parent } = fields(parseJson(Buffer.from(text)))
  return {
    ...(typeof title === 'string' && title.trim() !== '' ? { title } : {}),
    ...(typeof parent === 'string' && parent !== '' ? { parent } : {}),
  }
}
