// The conversations in Kiro's database, and the JSON of one of them. The other tables hold credentials and
// are never read.

import { exists, identityOf, statPath } from '../../../disk/files/read.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import type { DiscoverOptions, Found, Location } from '../../store.ts'
import type { KnownTables } from '../../stores/known-tables.ts'
import { listDatabase } from '../../stores/list-database.ts'
import { present } from '../../stores/values.ts'
import { timeFrom } from '../blocks.ts'

/** One conversation: a row of one of the two tables. */
export interface ConversationRow {
  table: 'conversations_v2' | 'conversations'
  id: string
  /** The conversation's folder. */
  key: string | undefined
  /** Only if the table has ids. */
  storedId: string | undefined
  createdAt: string | undefined
  updatedAt: string | undefined
  bytes: number
}

export const DATABASE = 'database'

const TABLES: KnownTables = {
  conversations: { conversations_v2: ['key', 'value', 'conversation_id'], conversations: ['key', 'value'] },
}

export async function* discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  if (!exists(location.path)) return
  const { path, root: storeRoot } = location
  const listable = {
    agent: 'kiro',
    path,
    storeRoot,
    list: (database: Database) => newestRows(database),
    tables: TABLES,
  }
  const { value: rows, failures } = await listDatabase(listable, options)
  yield* failures
  const file = identityOf(statPath(location.path))
  for (const row of rows.values()) {
    yield {
      type: 'session',
      session: {
        agent: 'kiro',
        sessionId: row.id,
        filePath: location.path,
        generation: DATABASE,
        storeRoot: location.root,
        updatedAt: row.updatedAt === undefined ? file.mtimeMs : Date.parse(row.updatedAt),
        fileSize: file.size,
        identity: `${file.device}:${file.inode}:${row.table}:${row.key}:${row.updatedAt}:${row.bytes}`,
        ...present<{ project: string }>({ project: row.key }),
      },
    }
  }
}

/** A conversation that was resumed in another folder is stored again under that folder. The newest counts. */
function newestRows(database: Database, wanted?: string): Map<string, ConversationRow> {
  const rows = new Map<string, ConversationRow>()
  for (const row of conversationRows(database, wanted)) {
    const other = rows.get(row.id)
    if (other === undefined || (row.updatedAt ?? '') > (other.updatedAt ?? '')) rows.set(row.id, row)
  }
  return rows
}

export function findRow(database: Database, id: string): ConversationRow | undefined {
  return newestRows(database, id).get(id)
}

/** With `wanted`, those of other conversations may be left out. */
function* conversationRows(database: Database, wanted?: string): Generator<ConversationRow, void, void> {
  yield* tableRows(database, 'conversations_v2', wanted)
  yield* tableRows(database, 'conversations', wanted)
}

const ID_IN_VALUE = /"conversation_id"\s*:\s*"([^"\\]+)"/
/** The id is at the start of the value. If there is none, the folder replaces it. */
const HEAD_BYTES = 512

function* tableRows(
  database: Database,
  table: ConversationRow['table'],
  wanted: string | undefined,
): Generator<ConversationRow, void, void> {
  if (!database.hasTable(table)) return
  const columns = database.columns(table)
  if (!columns.has('key') || !columns.has('value')) return
  const text = (name: string) => (columns.has(name) ? `CAST(${name} AS TEXT)` : 'NULL')
  const head = columns.has('conversation_id') ? 'NULL' : `substr(CAST(value AS BLOB), 1, ${HEAD_BYTES})`
  const sql = `SELECT CAST(key AS TEXT) AS key, octet_length(value) AS bytes, ${head} AS head,
    ${text('conversation_id')} AS id, ${text('created_at')} AS created, ${text('updated_at')} AS updated FROM ${table}`
  // To reach the times of a row, SQLite walks over its value: for every conversation that would take long.
  const isFiltered = wanted !== undefined && columns.has('conversation_id')
  const where = " WHERE COALESCE(CAST(conversation_id AS TEXT), '') IN ('', ?)"
  for (const row of isFiltered ? database.each(sql + where, wanted) : database.each(sql)) {
    const key = textOf(row, 'key')
    const storedId = textOf(row, 'id')
    const id = storedId ?? ID_IN_VALUE.exec(bytesOf(row, 'head').toString('latin1'))?.[1] ?? `folder:${key ?? ''}`
    const [createdAt, updatedAt] = [timeOf(row, 'created'), timeOf(row, 'updated')]
    yield { table, id, key, storedId, createdAt, updatedAt, bytes: Number(row['bytes'] ?? 0) }
  }
}

function textOf(row: Row, name: string): string | undefined {
  const value = row[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function timeOf(row: Row, name: string): string | undefined {
  const text = textOf(row, name)
  return text === undefined ? undefined : (timeFrom(/^\d+$/.test(text) ? Number(text) : text) ?? undefined)
}

function bytesOf(row: Row | undefined, name: string): Buffer {
  const value = row?.[name]
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.alloc(0)
}

const PIECE_BYTES = 1024 * 1024

/** The value in pieces. It is a subquery by itself, so SQLite loads it once and not for every piece. */
export function* valueChunks(database: Database, row: ConversationRow): Generator<Buffer, void, void> {
  if (row.bytes === 0) return
  const isRow = `COALESCE(CAST(key AS TEXT), '') = ?${row.storedId === undefined ? '' : ' AND CAST(conversation_id AS TEXT) = ?'}`
  const sql = `WITH RECURSIVE places(at) AS
    (SELECT 1 UNION ALL SELECT at + ${PIECE_BYTES} FROM places WHERE at + ${PIECE_BYTES} <= ?)
    SELECT substr((SELECT CAST(value AS BLOB) FROM ${row.table} WHERE ${isRow} LIMIT 1), at, ${PIECE_BYTES}) AS piece FROM places`
  const names = [row.key ?? '', ...(row.storedId === undefined ? [] : [row.storedId])]
  for (const found of database.each(sql, row.bytes, ...names)) yield bytesOf(found, 'piece')
}
