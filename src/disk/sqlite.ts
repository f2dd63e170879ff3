// Reading a database that another program writes, without leaving a trace beside it.
//
// A plain read-only open of a WAL database creates `-wal` and `-shm` files in the agent's folder. So the way in is chosen by what lies there:
// no log to apply → `immutable`, which touches nothing; a log with its index → `readonly_shm`; a log without its index, or a hot journal → a private copy.
import { constants, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { RethreadError } from '../model/errors.ts'
import { fromSystemError, quote } from './errors.ts'
import { files } from './files.ts'
import { assertInside, exists, openFile, statPath } from './read.ts'

/** As long as the agents themselves wait. */
export const BUSY_TIMEOUT_MS = 5000
const RETRY_EVERY_MS = 50
/** A database whose log has no index is copied to be read; beyond this size that would be no favour. */
const MAX_COPY_BYTES = 4 * 1024 * 1024 * 1024

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_READONLY = 8
const SQLITE_CORRUPT = 11
const SQLITE_CANTOPEN = 14
const SQLITE_NOTADB = 26

export type Row = Record<string, unknown>

export interface Database {
  path: string
  all(sql: string, ...values: (string | number)[]): Row[]
  /** Rows one by one, for tables that do not fit into memory. */
  each(sql: string, ...values: (string | number)[]): Generator<Row, void, void>
  hasTable(name: string): boolean
  columns(table: string): Set<string>
}

export interface DatabaseOptions {
  /** How long to wait for a lock; a test waits less. */
  busyMs?: number
}

/** Opens, reads one consistent snapshot, closes. Throws `database-busy` and `database-corrupt` beside the file errors. */
export async function readDatabase<T>(
  path: string,
  storeRoot: string,
  use: (database: Database) => T,
  options: DatabaseOptions = {},
): Promise<T> {
  const reading = streamDatabase(
    path,
    storeRoot,
    // biome-ignore lint/correctness/useYield: a stream that yields nothing is just its result
    function* (database): Generator<never, T, void> {
      return use(database)
    },
    options,
  )
  const step = await reading.next()
  return step.value
}

/**
 * Like `readDatabase`, one item at a time with the snapshot held open. Where the database changed under an unlocked reading, `use` runs
 * again from the beginning and items come again: whoever takes them goes by their ids.
 */
export async function* streamDatabase<T, R>(
  path: string,
  storeRoot: string,
  use: (database: Database) => Generator<T, R, void>,
  options: DatabaseOptions = {},
): AsyncGenerator<T, R, void> {
  const deadline = Date.now() + (options.busyMs ?? BUSY_TIMEOUT_MS)
  assertReadableDatabase(path, storeRoot)
  for (;;) {
    try {
      return yield* streamOnce(path, use)
    } catch (error) {
      const code = sqliteCode(error)
      if (error !== CHANGED_MEANWHILE && (code === undefined || !PASSING.has(code))) throw translate(error, path)
      if (Date.now() >= deadline) throw code === SQLITE_CANTOPEN ? translate(error, path) : busy(path, error)
      await sleep(RETRY_EVERY_MS)
    }
  }
}

const PASSING = new Set([SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY, SQLITE_CANTOPEN])
const CHANGED_MEANWHILE = new Error('the database changed while it was read as immutable')

function* streamOnce<T, R>(path: string, use: (database: Database) => Generator<T, R, void>): Generator<T, R, void> {
  const before = databaseIdentity(path)
  const way = wayIn(path)
  const copy = way === 'copy' ? makeCopy(path) : undefined
  try {
    const result = yield* useConnection(copy?.path ?? path, way, path, use)
    // `immutable` takes no locks, so what was read counts only if nobody wrote meanwhile.
    if (way === 'immutable=1' && databaseIdentity(path) !== before) throw CHANGED_MEANWHILE
    return result
  } catch (error) {
    // Half-written pages read without a lock look like damage; they are not, if somebody was writing them.
    if (way === 'immutable=1' && isCorruption(error) && databaseIdentity(path) !== before) throw CHANGED_MEANWHILE
    throw error
  } finally {
    copy?.remove()
  }
}

type WayIn = 'immutable=1' | 'readonly_shm=1' | 'mode=ro' | 'copy'

function wayIn(path: string): WayIn {
  if (sizeOf(`${path}-journal`) > 0) return isHot(path) ? 'copy' : 'mode=ro'
  if (!isWriteAheadLogged(path)) return 'mode=ro'
  if (sizeOf(`${path}-wal`) === 0) return 'immutable=1'
  return exists(`${path}-shm`) ? 'readonly_shm=1' : 'copy'
}

/** A journal whose writer died in a transaction. Rolling it back would write; a copy can be rolled back instead. */
function isHot(path: string): boolean {
  const connection = new DatabaseSync(databaseUrl(path, 'mode=ro'), { readOnly: true, timeout: 0 })
  try {
    connection.prepare('SELECT count(*) FROM sqlite_master').get()
    return false
  } catch (error) {
    if (sqliteCode(error) === SQLITE_READONLY || sqliteCode(error) === SQLITE_CANTOPEN) return true
    throw error
  } finally {
    connection.close()
  }
}

function* useConnection<T, R>(
  file: string,
  way: WayIn,
  shownPath: string,
  use: (database: Database) => Generator<T, R, void>,
): Generator<T, R, void> {
  const connection =
    way === 'copy'
      ? new DatabaseSync(file, { timeout: 0 })
      : new DatabaseSync(databaseUrl(file, way), { readOnly: true, timeout: 0 })
  try {
    connection.exec('BEGIN')
    connection.prepare('SELECT count(*) FROM sqlite_master').get()
    return yield* use(makeDatabase(connection, shownPath))
  } finally {
    connection.close()
  }
}

function databaseUrl(path: string, parameters: string): URL {
  const url = pathToFileURL(path)
  url.search = `?${parameters}`
  return url
}

function makeCopy(path: string): { path: string; remove: () => void } {
  const size = sizeOf(path) + sizeOf(`${path}-wal`)
  if (size > MAX_COPY_BYTES)
    throw new RethreadError({
      code: 'database-busy',
      text: `${path} has an unfinished log and is too large (${size} bytes) to be copied for reading.`,
      hint: 'Start the agent once and close it again: it completes the log. Then try again.',
      path,
    })
  const folder = mkdtempSync(join(tmpdir(), 'rethread-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, basename(path))
    for (const suffix of ['', '-wal', '-journal'])
      if (exists(path + suffix)) copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE)
    return { path: copy, remove }
  } catch (error) {
    remove()
    throw fromSystemError(error, path)
  }
}

function makeDatabase(connection: DatabaseSync, path: string): Database {
  const database: Database = {
    path,
    all: (sql, ...values) => connection.prepare(sql).all(...values),
    *each(sql, ...values) {
      yield* connection.prepare(sql).iterate(...values)
    },
    hasTable: name => database.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0,
    columns: table =>
      new Set(database.all('SELECT name FROM pragma_table_info(?)', table).map(row => String(row['name']))),
  }
  return database
}

/** Changes with every commit, unlike the modification time: a commit into the log leaves the main file alone. */
export function databaseIdentity(path: string): string {
  const main = statPath(path)
  const log = sizeOf(`${path}-wal`) === 0 ? 'no-log' : `${sizeOf(`${path}-wal`)}:${head(`${path}-wal`, 12, 24)}`
  return `${main.dev}:${main.ino}:${main.size}:${main.mtimeNs}:${head(path, 24, 28)}:${log}`
}

/** In the header, byte 18 is 2 for a write-ahead log. */
function isWriteAheadLogged(path: string): boolean {
  return head(path, 18, 19) === '02'
}

function head(path: string, start: number, end: number): string {
  let fd: number | undefined
  try {
    fd = files().open(path)
    const buffer = Buffer.alloc(end)
    const got = files().read(fd, buffer, 0)
    return buffer.subarray(start, Math.max(start, got)).toString('hex')
  } catch (error) {
    throw fromSystemError(error, path)
  } finally {
    if (fd !== undefined) files().close(fd)
  }
}

function sizeOf(path: string): number {
  return exists(path) ? Number(statPath(path).size) : 0
}

function assertReadableDatabase(path: string, storeRoot: string): void {
  assertInside(path, storeRoot)
  const file = openFile(path, storeRoot)
  file.close()
  if (file.identity.size > 0) return
  throw new RethreadError({
    code: 'empty-file',
    text: `${path} is empty: a database that was never written, or that was lost.`,
    hint: `Look for a copy beside it: ls -la ${quote(path)}*`,
    path,
  })
}

export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

function isCorruption(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB
}

function translate(error: unknown, path: string): unknown {
  const code = sqliteCode(error)
  if (isCorruption(error)) return corrupt(path, error)
  if (code === undefined) return error
  return fromSystemError(error, path)
}

function busy(path: string, cause: unknown): RethreadError {
  return new RethreadError({
    code: 'database-busy',
    text: `${path} is locked by another program and stayed so for ${BUSY_TIMEOUT_MS / 1000} seconds.`,
    hint: `See who holds it: fuser -v ${quote(path)}`,
    path,
    cause,
  })
}

function corrupt(path: string, cause: unknown): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: `${path} is damaged: ${cause instanceof Error ? cause.message : 'not a database'}.`,
    hint: `Close the agent, keep a copy (cp ${quote(path)}* /some/folder/), then see what can be read: sqlite3 ${quote(path)} .recover`,
    path,
    cause,
  })
}
