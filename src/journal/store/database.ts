// Opens the database of the journal: mode 0600, with a write-ahead log. One connection writes and one reads,
// so that a read never waits for another process's lock.
import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromWriteError, quote, systemCode } from '../../disk/files/system-errors.ts'
import { fromSqliteWriteError, isBusy, sqliteCode } from '../../disk/sqlite/errors.ts'
import { BUSY_TIMEOUT_MS } from '../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../model/errors.ts'
import { makeSqlConnection, type SqlConnection } from './sql-connection.ts'

/** "rthj" in the header of the file. It marks a database as a journal. */
const APPLICATION_ID = 0x72_74_68_6a
/** The size of the write-ahead log after a checkpoint. It may grow beyond that for a while. */
const MAX_LOG_BYTES = 64 * 1024 * 1024
const RETRY_EVERY_MS = 10

export interface JournalFileOptions {
  /**
   * `normal` survives the end of any process. `full` also survives a power failure, at the cost of one disk
   * flush per commit.
   */
  synchronous?: 'normal' | 'full'
  /** How long to wait for another program's lock. */
  busyMs?: number
}

export interface JournalFile {
  path: string
  busyMs: number
  writer: SqlConnection
  reader: SqlConnection
  /** Throws where the file was removed or replaced. */
  assertPresent(): void
  close(): void
}

/** Creates the file where missing. Refuses a database that is not a journal, and leaves it untouched. */
export async function openJournalFile(path: string, options: JournalFileOptions = {}): Promise<JournalFile> {
  const busyMs = options.busyMs ?? BUSY_TIMEOUT_MS
  createPrivately(path)
  // SQLite's own busy wait would block the whole process, so the caller waits instead.
  return await whenFree(path, busyMs, () => connect(path, busyMs, options))
}

/**
 * Retries while another program holds a lock. SQLite errors become RethreadErrors. Synchronous where no lock
 * is held.
 */
export function whenFree<T>(path: string, busyMs: number, step: () => T): T | Promise<T> {
  try {
    return step()
  } catch (error) {
    if (!isBusy(error)) throw fromJournalError(error, path)
    return waitFor(path, busyMs, step)
  }
}

async function waitFor<T>(path: string, busyMs: number, step: () => T): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += RETRY_EVERY_MS) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error) || waitedMs >= busyMs) throw fromJournalError(error, path, waitedMs)
    }
    await sleep(RETRY_EVERY_MS)
  }
}

export function fromJournalError(error: unknown, path: string, waitedMs = 0): unknown {
  return sqliteCode(error) === undefined ? error : fromSqliteWriteError(error, path, waitedMs)
}

/** Never opens an existing file: closing it would drop the locks of this process on the database. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fromWriteError(error, path)
  }
}

function connect(path: string, busyMs: number, options: JournalFileOptions): JournalFile {
  const { synchronous = 'normal' } = options
  const opened: DatabaseSync[] = []
  const open = (readOnly: boolean): DatabaseSync => {
    const connection = new DatabaseSync(path, { readOnly, timeout: 0 })
    opened.push(connection)
    return connection
  }
  const close = (): void => {
    // The writer last: the last connection checkpoints the log, which a reader cannot do.
    for (const connection of opened.reverse()) if (connection.isOpen) connection.close()
    opened.length = 0
  }
  try {
    const writer = open(false)
    claim(writer, path)
    setUp(writer, synchronous)
    // The reader opens after the log exists, because it cannot create it.
    const reader = open(true)
    reader.prepare('SELECT count(*) FROM sqlite_master').get()
    const assertPresent = watchPresence(path, writer)
    return { path, busyMs, writer: makeSqlConnection(writer), reader: makeSqlConnection(reader), assertPresent, close }
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Writes into a removed file are lost when it is closed, and writes into a removed log are lost with a crash.
 * What was written so far can still be read through the open connection, and is saved once.
 */
function watchPresence(path: string, connection: DatabaseSync): () => void {
  const files = [path, `${path}-wal`]
  const opened = files.map(inodeOf)
  let saved: string | undefined
  return () => {
    if (files.every((file, index) => opened[index] === undefined || inodeOf(file) === opened[index])) return
    saved ??= saveCopy(connection, path)
    throw journalGone(path, saved)
  }
}

/** Returns the path of the copy. Undefined where it could not be made. */
function saveCopy(connection: DatabaseSync, path: string): string | undefined {
  const copy = `${path}.saved-${Date.now()}`
  try {
    createPrivately(copy)
    connection.prepare('VACUUM INTO ?').run(copy)
    return copy
  } catch (error) {
    // The caller reports the loss either way.
    if (error instanceof RethreadError || sqliteCode(error) !== undefined) return undefined
    throw error
  }
}

/** Undefined where the file does not exist. */
function inodeOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
}

function journalGone(path: string, saved: string | undefined): RethreadError {
  const hint =
    saved === undefined
      ? `Put the file back. To continue with a new journal, start rethread again. It creates ${quote(path)}.`
      : `Everything up to here is in a copy. To continue with it: mv ${quote(saved)} ${quote(path)}, then start rethread again. Without the copy it creates a new journal.`
  return new RethreadError({
    code: 'io-error',
    text: `The journal ${path} was removed or replaced while in use. Nothing more is written, because it would be lost.`,
    hint,
    path,
  })
}

function claim(connection: DatabaseSync, path: string): void {
  if (readNumber(connection, 'PRAGMA application_id') === APPLICATION_ID) {
    keepPrivate(path)
    return
  }
  if (!isBlank(connection)) throw foreignDatabase(path)
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('BEGIN IMMEDIATE')
  // Another process may have claimed the file in the meantime, as a journal or as something else.
  if (readNumber(connection, 'PRAGMA application_id') !== APPLICATION_ID) {
    if (!isBlank(connection)) throw foreignDatabase(path)
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  }
  connection.exec('COMMIT')
}

function setUp(connection: DatabaseSync, synchronous: 'normal' | 'full'): void {
  connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = OFF`)
  connection.exec(`PRAGMA journal_size_limit = ${MAX_LOG_BYTES}`)
  // Report a cell whose length leaves its page as an error of that row.
  connection.exec('PRAGMA cell_size_check = ON')
}

/** Narrows the mode of a journal, such as one from a backup. A file of another owner stays unchanged. */
function keepPrivate(path: string): void {
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    if (!['EPERM', 'EROFS', 'EACCES'].includes(systemCode(error))) throw fromWriteError(error, path)
  }
}

function isBlank(connection: DatabaseSync): boolean {
  return (
    readNumber(connection, 'SELECT count(*) FROM sqlite_master') === 0 &&
    readNumber(connection, 'PRAGMA application_id') === 0
  )
}

function readNumber(connection: DatabaseSync, sql: string): unknown {
  return Object.values(connection.prepare(sql).get() ?? {})[0]
}

function foreignDatabase(path: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} is a database, but not a rethread journal: another program made it. Nothing was changed.`,
    hint: `Choose another file for the journal, or see what this one contains: sqlite3 -readonly ${quote(path)} .schema`,
    path,
  })
}
