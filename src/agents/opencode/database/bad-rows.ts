// The rows of a session that OpenCode cannot use. SQLite filters all of them, and only suspicious ones are
// read.
import { parseObject } from '../../../bytes/json.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { textOfBytes } from '../../../disk/sqlite/values.ts'
import type { SqlValue } from '../../../model/plan.ts'
import { asString } from '../../stores/values.ts'
import { hasOlder, messageTime, NEWER_MESSAGES } from './rows.ts'

export interface BadRow {
  table: 'session' | 'message' | 'part' | 'project' | typeof NEWER_MESSAGES
  id: string
  column: string
  /** The stored value. */
  stored: SqlValue
  /** The bytes of a text, whether stored as text or as a blob. Empty for everything else. */
  bytes: Buffer
  /** OpenCode fails on every use of the session. If false, it only skips the row. */
  isFatal: boolean
  /** For a part. */
  messageId?: string
}

const OBJECT = (data: string) =>
  `CASE WHEN typeof(${data}) <> 'text' THEN 0 WHEN NOT json_valid(${data}) THEN 0 ELSE json_type(${data}) = 'object' END`
const exact = (data: string) => `typeof(${data}) AS type, CAST(${data} AS BLOB) AS bytes`

export function badMessages(database: Database, sessionId: string): BadRow[] {
  if (!hasOlder(database)) return []
  const isMessage = `CASE WHEN ${OBJECT('data')} THEN coalesce(json_extract(data, '$.role'), '') IN ('user', 'assistant') ELSE 0 END`
  return database
    .all(
      `SELECT id, ${exact('data')} FROM message WHERE session_id = ? AND NOT ${isMessage} ORDER BY ${messageTime(database)}, id`,
      sessionId,
    )
    .map(row => ({ ...badRow('message', 'data', row), isFatal: true }))
    .filter(bad => !isMessageData(bad))
}

export function badParts(database: Database, sessionId: string): BadRow[] {
  if (!hasOlder(database)) return []
  const isPart = `CASE WHEN ${OBJECT('part.data')} THEN coalesce(json_type(part.data, '$.type'), '') = 'text' ELSE 0 END`
  return database
    .all(
      `SELECT part.id AS id, message.id AS message_id, ${exact('part.data')} FROM message JOIN part ON part.message_id = message.id
       WHERE message.session_id = ? AND NOT ${isPart} ORDER BY ${messageTime(database)}, message.id, part.id`,
      sessionId,
    )
    .map(row => ({ ...badRow('part', 'data', row), messageId: String(row['message_id']) }))
    .filter(bad => !isPartData(bad))
}

/** Newer versions load all rows of a session or none. */
export function badNewer(database: Database, sessionId: string): BadRow[] {
  if (!['id', 'session_id', 'data'].every(name => database.columns(NEWER_MESSAGES).has(name))) return []
  return database
    .all(
      `SELECT id, ${exact('data')} FROM ${NEWER_MESSAGES} WHERE session_id = ? AND NOT ${OBJECT('data')} ORDER BY rowid`,
      sessionId,
    )
    .map(row => ({ ...badRow(NEWER_MESSAGES, 'data', row), isFatal: true }))
    .filter(({ stored, bytes }) => typeof stored !== 'string' || parseObject(bytes) === undefined)
}

/** SQLite refuses JSON that is nested a thousand times, and OpenCode accepts it. */
function isMessageData({ stored, bytes }: BadRow): boolean {
  return typeof stored === 'string' && isRole(parseObject(bytes)?.['role'])
}

function isPartData({ stored, bytes }: BadRow): boolean {
  return typeof stored === 'string' && typeof parseObject(bytes)?.['type'] === 'string'
}

export function isRole(role: unknown): boolean {
  return role === 'user' || role === 'assistant'
}

/** The JSON columns of these tables. OpenCode fails on any other content. */
const JSON_COLUMNS = {
  session: ['summary_diffs', 'metadata', 'revert', 'permission', 'model'],
  project: ['sandboxes', 'commands'],
}

export function badColumns(database: Database, table: 'session' | 'project', id: string): BadRow[] {
  const there = database.columns(table)
  return JSON_COLUMNS[table]
    .filter(column => there.has(column))
    .flatMap(column => {
      const isJson = `CASE WHEN typeof(${column}) <> 'text' THEN 0 ELSE json_valid(${column}) END`
      return database
        .all(`SELECT id, ${exact(column)} FROM ${table} WHERE id = ? AND ${column} IS NOT NULL AND NOT ${isJson}`, id)
        .map(row => ({ ...badRow(table, column, row), isFatal: true }))
    })
}

export interface OpenCall {
  id: string
  tool: string
  status: string
  bytes: Buffer
  /** Milliseconds since 1970: when the call started, or the row was created. */
  start: number
}

/** Calls that wait or run. */
export function openCalls(database: Database, sessionId: string): OpenCall[] {
  if (!hasOlder(database)) return []
  const at = (path: string) => `CASE WHEN ${OBJECT('part.data')} THEN json_extract(part.data, '${path}') END`
  return database
    .all(
      `SELECT part.id AS id, CAST(part.data AS BLOB) AS bytes, ${at('$.tool')} AS tool, ${at('$.state.status')} AS status,
         coalesce(${at('$.state.time.start')}, ${messageTime(database)}) AS start
       FROM message JOIN part ON part.message_id = message.id WHERE message.session_id = ? AND ${at('$.type')} = 'tool'
         AND ${at('$.state.status')} IN ('pending', 'running') ORDER BY ${messageTime(database)}, message.id, part.id`,
      sessionId,
    )
    .map(row => ({
      id: String(row['id']),
      tool: asString(row['tool']) ?? 'a tool',
      status: String(row['status']),
      bytes: bytesOf(row),
      start: Number(row['start']),
    }))
}

function badRow(table: BadRow['table'], column: string, row: Row): BadRow {
  const bytes = bytesOf(row)
  const type = row['type']
  const stored = type === 'text' ? textOfBytes(bytes) : type === 'null' ? null : new Uint8Array(bytes)
  // JSON of another type is skipped. Only invalid JSON makes OpenCode fail.
  const isOtherJson = type === 'text' && isJson(bytes)
  return { table, id: String(row['id']), column, stored, bytes, isFatal: !isOtherJson }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'))
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function bytesOf(row: Row): Buffer {
  const { bytes } = row
  return bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.alloc(0)
}
