// A copy of all rows of a cache in one value, for callers that need most of them: ten thousand rows take ten
// times as long. Triggers note every later change, also by another process, so the copy is never out of date.
import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { isCorruption, sqliteCode } from '../sqlite/errors.ts'

/** Fewer are read one by one. */
const MIN_ROWS = 500
/** The copy is made again once more than this share of it has changed. */
const MAX_CHANGED = 0.1

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS packed_rows (id INTEGER PRIMARY KEY, value BLOB NOT NULL, number INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS follow (id INTEGER PRIMARY KEY, epoch TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS changes (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE);
  ${trigger('INSERT', 'new')} ${trigger('UPDATE', 'new')} ${trigger('DELETE', 'old')}`

/** The number of a change is larger than that of every earlier one, also of one that it replaces. */
function trigger(action: string, row: string): string {
  return `CREATE TRIGGER IF NOT EXISTS follow_${action.toLowerCase()} AFTER ${action} ON entries BEGIN
    DELETE FROM changes WHERE key = ${row}.key;
    INSERT INTO changes (key) VALUES (${row}.key);
  END;`
}

/** For `changedSince`. Undefined where nothing can be written now: then later changes cannot be known. */
export function markChanges(database: DatabaseSync): string | undefined {
  return inTransaction(database, 'BEGIN', () => markOf(database)) ?? withoutWaiting(database, () => begin(database))
}

/** The keys of all entries that were set or deleted since; undefined where that is not known. */
export function changedSince(database: DatabaseSync, mark: string): string[] | undefined {
  return inTransaction(database, 'BEGIN', () => {
    const [epoch, number] = mark.split(' ')
    if (!isFollowed(database) || epochOf(database) !== epoch) return undefined
    const rows = database.prepare('SELECT key FROM changes WHERE number > ?').all(Number(number))
    return rows.map(({ key }) => String(key))
  })
}

function markOf(database: DatabaseSync): string | undefined {
  const epoch = isFollowed(database) ? epochOf(database) : undefined
  if (epoch === undefined) return undefined
  return `${epoch} ${lastNumber(database)}`
}

function lastNumber(database: DatabaseSync): number {
  const row = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").get()
  return Number(row?.['seq'] ?? 0)
}

function isFollowed(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'follow'").get() !== undefined
}

function epochOf(database: DatabaseSync): string | undefined {
  const epoch = database.prepare('SELECT epoch FROM follow').get()?.['epoch']
  return typeof epoch === 'string' ? epoch : undefined
}

/** From here on, every change is noted. */
function begin(database: DatabaseSync): string | undefined {
  database.exec(SCHEMA)
  database.prepare('INSERT OR REPLACE INTO follow VALUES (1, ?)').run(randomBytes(EPOCH_BYTES).toString('hex'))
  return markOf(database)
}

/** So many that no two databases have the same, also where one was deleted and made again. */
const EPOCH_BYTES = 12

/** Up to `limit` rows of the table `entries`. */
export function readAllRows(database: DatabaseSync, limit: number): Map<string, string> {
  const known = inTransaction(database, 'BEGIN', () => readPacked(database))
  if (known !== undefined) return known
  return pack(database, limit) ?? readRows(database, limit)
}

/** Undefined where there is no copy, or too much of it has changed. */
function readPacked(database: DatabaseSync): Map<string, string> | undefined {
  const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'packed_rows'").get() !== undefined
  const { value, number } = (hasTable && database.prepare('SELECT value, number FROM packed_rows').get()) || {}
  const rows = value instanceof Uint8Array ? unpack(value) : undefined
  if (rows === undefined) return undefined
  const changed = database
    .prepare(
      `SELECT changes.key AS key, entries.value AS value
      FROM changes LEFT JOIN entries ON entries.key = changes.key WHERE changes.number > ?`,
    )
    .all(Number(number))
  if (changed.length > Math.max(MIN_ROWS, rows.size * MAX_CHANGED)) return undefined
  for (const { key, value: current } of changed) {
    if (typeof key !== 'string') return undefined
    if (typeof current === 'string') rows.set(key, current)
    else rows.delete(key)
  }
  return rows
}

/** Undefined where it is not worth it, or nothing can be written now: a reader does not wait for that. */
function pack(database: DatabaseSync, limit: number): Map<string, string> | undefined {
  const { count } = database.prepare('SELECT count(*) AS count FROM entries').get() as { count: number }
  if (count < MIN_ROWS || count > limit) return undefined
  return withoutWaiting(database, () => {
    const rows = readRows(database, limit)
    if (!isFollowed(database)) begin(database)
    database.prepare('INSERT OR REPLACE INTO packed_rows VALUES (1, ?, ?)').run(packRows(rows), lastNumber(database))
    return rows
  })
}

/** Undefined where another process writes. */
function withoutWaiting<Result>(database: DatabaseSync, step: () => Result): Result | undefined {
  const { timeout } = database.prepare('PRAGMA busy_timeout').get() as { timeout: number }
  database.exec('PRAGMA busy_timeout = 0')
  try {
    return inTransaction(database, 'BEGIN IMMEDIATE', step)
  } catch (error) {
    if (sqliteCode(error) === undefined || isCorruption(error)) throw error
    return undefined
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout}`)
  }
}

function readRows(database: DatabaseSync, limit: number): Map<string, string> {
  const entries = new Map<string, string>()
  const statement = database.prepare('SELECT key, value FROM entries LIMIT ?')
  // Rows as arrays: creating an object for each would take more than half of the time.
  statement.setReturnArrays(true)
  for (const { 0: key, 1: value } of statement.iterate(limit))
    if (typeof key === 'string' && typeof value === 'string') entries.set(key, value)
  return entries
}

function inTransaction<Result>(database: DatabaseSync, begin: string, step: () => Result): Result {
  database.exec(begin)
  try {
    const result = step()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has rolled back already after some errors.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** The checksum of the rest, the lengths of all keys and values, and these one after the other. */
function packRows(rows: ReadonlyMap<string, string>): Buffer {
  const lengths: number[] = []
  const texts: string[] = []
  for (const [key, value] of rows) {
    lengths.push(key.length, value.length)
    texts.push(key, value)
  }
  const content = Buffer.from(`${lengths.join(' ')}\n${texts.join('')}`)
  return Buffer.concat([checksum(content), content])
}

/** Undefined for what `packRows` did not make. */
function unpack(value: Uint8Array): Map<string, string> | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const content = bytes.subarray(CHECKSUM_BYTES)
  if (!bytes.subarray(0, CHECKSUM_BYTES).equals(checksum(content))) return undefined
  const text = content.toString()
  const end = text.indexOf('\n')
  const lengths = text.slice(0, end).split(' ').map(Number)
  const rows = new Map<string, string>()
  let at = end + 1
  for (let place = 0; place + 1 < lengths.length; place += 2) {
    const border = at + (lengths[place] ?? 0)
    const next = border + (lengths[place + 1] ?? 0)
    rows.set(text.slice(at, border), text.slice(border, next))
    at = next
  }
  return rows
}

const CHECKSUM_BYTES = 4

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(CHECKSUM_BYTES)
  sum.writeUInt32LE(crc32(bytes))
  return sum
}
