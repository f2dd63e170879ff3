// The queries that find a conversation. Plain SQL, because kysely takes longer to load than these take to
// run.

import { parseJson } from '../../bytes/json.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { asFields } from '../envelope.ts'
import { readEventRow } from '../store/event-rows.ts'
import type { SqlConnection, StoredRecord } from '../store/sql-connection.ts'

export interface JournalSessionRow {
  number: number
  id: string
  agent: string
  /** Undefined where the row is damaged. */
  cwd: string | undefined
  createdAt: number
  isDestroyed: boolean
  isConversation: boolean
  /** The columns that hold something else than they should. */
  damaged: string[]
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
export function* eachSession(
  connection: SqlConnection,
  way: 'newest' | 'oldest',
): Generator<JournalSessionRow, void, void> {
  // The first version of the tables had no kind.
  const kind = columnsOf(connection, 'sessions').has('kind') ? 'kind' : "'conversation'"
  const order = way === 'newest' ? 'DESC' : 'ASC'
  const columns = (NEEDED['sessions'] ?? []).join(', ')
  for (const row of connection.each(`SELECT ${columns}, ${kind} AS kind FROM sessions ORDER BY number ${order}`, []))
    yield readRow(row)
}

export function findRow(connection: SqlConnection, id: string): JournalSessionRow | undefined {
  const [row] = connection.run('SELECT * FROM sessions WHERE id = ?', [id]).rows
  return row === undefined ? undefined : readRow({ kind: 'conversation', ...row })
}

/** The last event and its time. Undefined where there is none. */
export function lastEvent(connection: SqlConnection, id: string): { seq: number; at: number } | undefined {
  const sql = 'SELECT seq, created_at FROM events WHERE session_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1'
  const [row] = connection.run(sql, [id, Number.MAX_SAFE_INTEGER]).rows
  return row === undefined ? undefined : { seq: numberOf(row['seq']), at: numberOf(row['created_at']) }
}

/** The bytes of a row beside its envelope: ids, times, the kind, and its entry in the index. */
const ROW_BYTES = 200

/**
 * How much of the database belongs to the conversation. SQLite reads only the headers of its rows for this.
 */
export function bytesOf(connection: SqlConnection, id: string): number {
  const sql = `SELECT sum(octet_length(payload_json)) + count(*) * ${ROW_BYTES} AS bytes FROM events WHERE session_id = ?`
  return numberOf(connection.run(sql, [id]).rows[0]?.['bytes'])
}

/** Events that only a conversation with messages has: the row of its first prompt alone may be damaged. */
const SAID: readonly string[] = [
  'session/prompt',
  '_rethread/prompt_taken',
  'session/update:user_message_chunk',
  'session/update:agent_message_chunk',
  'response:session/prompt',
]

/** Whether something was said, here or before the journal started. Such an event is among the first ones. */
export function hasPrompt(connection: SqlConnection, id: string): boolean {
  const sql = `SELECT 1 FROM events WHERE session_id = ? AND kind IN (${SAID.map(() => '?').join(', ')}) LIMIT 1`
  return connection.run(sql, [id, ...SAID]).rows.length > 0
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

/** An event whose session id is damaged makes no session: its checksum says that it belongs to another. */
function hasWholeEvent(connection: SqlConnection, id: string): boolean {
  const sql =
    'SELECT *, cast(payload_json as blob) AS payload_json FROM events WHERE session_id = ? ORDER BY seq LIMIT 10'
  return connection.run(sql, [id]).rows.some(row => 'event' in readEventRow(row))
}

/** A damaged value hides no conversation: only a whole time says that it was deleted. */
function readRow(row: StoredRecord): JournalSessionRow {
  const { cwd, agent, kind, created_at, destroyed_at } = row
  const texts = { agent, cwd, kind }
  const damaged = Object.entries(texts).flatMap(([name, value]) => (typeof value === 'string' ? [] : [name]))
  if (typeof created_at !== 'number') damaged.push('created_at')
  if (destroyed_at !== null && !(typeof destroyed_at === 'number' && destroyed_at >= 0)) damaged.push('destroyed_at')
  return {
    number: numberOf(row['number']),
    id: String(row['id']),
    agent: typeof agent === 'string' ? agent : 'an unknown agent',
    cwd: typeof cwd === 'string' ? cwd : undefined,
    createdAt: numberOf(created_at),
    isDestroyed: typeof destroyed_at === 'number' && destroyed_at >= 0,
    isConversation: kind !== 'connection',
    damaged,
  }
}

/** Ids that have events and no row: their rows were lost. */
export function* eachOrphan(connection: SqlConnection): Generator<JournalSessionRow, void, void> {
  const sql = `WITH RECURSIVE ids(id) AS (
      SELECT min(session_id) FROM events
      UNION ALL
      SELECT (SELECT min(session_id) FROM events WHERE session_id > ids.id) FROM ids WHERE ids.id IS NOT NULL
    )
    SELECT id FROM ids WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM sessions)`
  let number = 0
  for (const { id } of connection.run(sql, []).rows)
    if (typeof id === 'string' && hasWholeEvent(connection, id))
      yield { ...readRow({ id, kind: 'conversation', destroyed_at: null }), number: --number }
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
  const { title, parent } = asFields(parseJson(Buffer.from(text)))
  return {
    ...(typeof title === 'string' && title.trim() !== '' ? { title } : {}),
    ...(typeof parent === 'string' && parent !== '' ? { parent } : {}),
  }
}
