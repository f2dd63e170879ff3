// store.db: one row of facts, and blobs named by the SHA-256 of their bytes, so that each can be verified.
import { hash } from 'node:crypto'
import { parseJson } from '../../../bytes/json.ts'
import { readProto } from '../../../bytes/protobuf.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { sqliteCode } from '../../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../../model/errors.ts'
import { type KnownTables, unknownTables } from '../../stores/known-tables.ts'
import { asArray, asBytes, asObject, asText, asTime, type Json, present } from '../../stores/values.ts'

const TABLES: KnownTables = { conversations: { blobs: ['id', 'data'], meta: ['key', 'value'] } }

/** Tables that may hold messages, and are not known. Throws if the database is not the store of a chat. */
export function examineTables(database: Database): RethreadError[] {
  const isStore = Object.entries(TABLES.conversations).every(([table, columns]) => {
    const there = database.columns(table)
    return columns.every(column => there.has(column))
  })
  if (isStore) return unknownTables(database, TABLES)
  throw new RethreadError({
    code: 'not-a-session',
    text: `${database.path} has no tables "meta" and "blobs", so it is not the store of a chat.`,
    hint: `See what it holds: sqlite3 -readonly ${quote(database.path)} .schema`,
    path: database.path,
  })
}

export interface StoreFacts {
  root?: string
  name?: string
  startedAt?: string
  model?: string
}

/**
 * The row also holds a key (`blobEncryptionKey`). Only named fields leave SQLite, so the key never becomes a
 * value in this process.
 */
const FACTS = `
  SELECT CASE WHEN json_valid(text)
    THEN json_extract(text, '$.latestRootBlobId', '$.name', '$.createdAt', '$.lastUsedModel') END AS fields
  FROM (SELECT CAST(unhex(CAST(value AS TEXT)) AS TEXT) AS text FROM meta WHERE key = '0')`

/** Undefined if the row is missing or is not hexadecimal JSON. */
export function readStoreFacts(database: Database): StoreFacts | undefined {
  const fields = database.all(FACTS)[0]?.['fields']
  const values = typeof fields === 'string' ? asArray(JSON.parse(fields)) : undefined
  if (values === undefined) return undefined
  const [root, name, createdAt, model] = values
  return present<StoreFacts>({
    root: asText(root)?.toLowerCase(),
    name: asText(name),
    startedAt: asTime(createdAt) ?? asTime(Number(asText(createdAt) ?? Number.NaN)),
    model: asText(model),
  })
}

export type Blob = { type: 'proved'; bytes: Buffer } | { type: 'altered'; bytes: Buffer } | { type: 'missing' }

export function readBlob(database: Database, id: string): Blob {
  const row = database.get('SELECT CAST(data AS BLOB) AS data FROM blobs WHERE id = ?', id)
  if (row === undefined) return { type: 'missing' }
  const bytes = asBytes(row['data'])
  return { type: hash('sha256', bytes) === id ? 'proved' : 'altered', bytes }
}

/** So many are asked for with one statement. More would take memory, and no less time. */
export const BLOBS_AT_ONCE = 32
/** A longer one takes so long to read that a statement for it alone does not matter. */
const MAX_JOINED_BYTES = 64 * 1024

/** Of each id the length of its blob, or -1 without one; and the bytes of all blobs that are not too long, joined. */
const JOINED = `
  SELECT group_concat(coalesce(octet_length(data), -1)) AS lengths,
    CAST(group_concat(CASE WHEN octet_length(data) <= ${MAX_JOINED_BYTES} THEN CAST(data AS BLOB) END, '') AS BLOB) AS joined
  FROM json_each(?) AS wanted LEFT JOIN blobs ON blobs.id = wanted.value`

/**
 * The bytes of the blobs with these ids, with one statement: one for each takes longer than reading it. Undefined for a
 * blob that was not found in this way or does not have its hash: `readBlob` says what it is.
 */
export function readProved(database: Database, ids: readonly string[]): (Buffer | undefined)[] {
  const row = joinedRow(database, ids)
  const lengths = String(row?.['lengths']).split(',')
  if (lengths.length !== ids.length) return []
  const joined = asBytes(row?.['joined'])
  let end = 0
  return ids.map((id, at) => {
    const length = Number(lengths[at])
    if (!(length >= 0 && length <= MAX_JOINED_BYTES)) return undefined
    const start = end
    end += length
    const bytes = joined.subarray(start, end)
    return hash('sha256', bytes) === id ? bytes : undefined
  })
}

/** Undefined where the database is damaged. */
function joinedRow(database: Database, ids: readonly string[]): Row | undefined {
  try {
    return database.get(JOINED, JSON.stringify(ids))
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error
    return undefined
  }
}

/** 0 for a blob that is missing. Nothing is read but its header. */
export function bytesOfBlob(database: Database, id: string): number {
  const bytes = database.get('SELECT octet_length(data) AS bytes FROM blobs WHERE id = ?', id)?.['bytes']
  return typeof bytes === 'number' ? bytes : 0
}

export function hasBlob(database: Database, id: string): boolean {
  return database.get('SELECT 1 FROM blobs WHERE id = ?', id) !== undefined
}

/** A message is bare JSON, or JSON inside a field of a protobuf message. */
export function messageIn(bytes: Buffer, depth = 0): Json | undefined {
  if (bytes[0] === 0x7b) {
    const value = asObject(parseJson(bytes))
    if (value !== undefined && 'role' in value) return value
  }
  if (depth > MAX_WRAPPERS) return undefined
  for (const field of readProto(bytes).fields) {
    const inner = field.type === 'bytes' && field.value.length > 1 ? messageIn(field.value, depth + 1) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

const MAX_WRAPPERS = 2
