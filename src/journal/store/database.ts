// Opens the database that holds the journal: ours alone, 0600, with a write-ahead log. One connection writes, one reads, so that a reading never
// waits for somebody else's lock.
import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromWriteError, quote, systemCode } from '../../disk/files/system-errors.ts'
import { fromSqliteWriteError, isBusy, sqliteCode } from '../../disk/sqlite/errors.ts'
import { BUSY_TIMEOUT_MS } from '../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../model/errors.ts'
import { makeSqlConnection, type SqlConnection } from './sql-connection.ts'

/** "rthj", in the header of the file: what says that a database is a journal of ours. */
const APPLICATION_ID = 0x72_74_68_6a
/** The log is cut back to this after a checkpoint; a flood may make it longer for a while. */
const MAX_LOG_BYTES = 64 * 1024 * 1024
const RETRY_EVERY_MS = 10
/** What is written into a file that somebody has removed is lost when it is closed, and nothing else would say so. */
const PRESENCE_MS = 1000

export interface JournalFileOptions {
  /** `normal`: survives the end of any process. `full`: survives the machine losing power, for one wait on the disk per commit. */
  synchronous?: 'normal' | 'full'
  /** How long to wait for another program's lock. */
  busyMs?: number
  /** How often it is looked whether the file is still the one that was opened. */
  presenceMs?: number
}

export interface JournalFile {
  path: string
  busyMs: number
  writer: SqlConnection
  reader: SqlConnection
  /** Throws where the file was removed or replaced meanwhile. */
  assertPresent(): void
  close(): void
}

/** Makes the file where there is none. A database that is not a journal of ours is refused and left untouched. */
export async function openJournalFile(path: string, options: JournalFileOptions = {}): Promise<JournalFile> {
  const busyMs = options.busyMs ?? BUSY_TIMEOUT_MS
  createPrivately(path)
  // SQLite's own waiting would stop the whole process; so it never waits, and who calls it does.
  return await whenFree(path, busyMs, () => connect(path, busyMs, options))
}

/** Tries again while another program holds a lock; what SQLite says comes out as a RethreadError. Where nobody does, there is nothing to await. */
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

/** Only where there is none: to open and close a database that this process has open already would cost it its locks. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fromWriteError(error, path)
  }
}

function connect(path: string, busyMs: number, options: JournalFileOptions): JournalFile {
  const { synchronous = 'normal', presenceMs = PRESENCE_MS } = options
  const opened: DatabaseSync[] = []
  const open = (readOnly: boolean): DatabaseSync => {
    const connection = new DatabaseSync(path, { readOnly, timeout: 0 })
    opened.push(connection)
    return connection
  }
  const close = (): void => {
    // The writer last: whoever is last puts the log into the database, and a reader could not.
    for (const connection of opened.reverse()) if (connection.isOpen) connection.close()
    opened.length = 0
  }
  try {
    const writer = open(false)
    claim(writer, path)
    setUp(writer, synchronous)
    // The reader after the log is there, which it could not make.
    const reader = open(true)
    reader.prepare('SELECT count(*) FROM sqlite_master').get()
    const assertPresent = watchPresence(path, presenceMs)
    return { path, busyMs, writer: makeSqlConnection(writer), reader: makeSqlConnection(reader), assertPresent, close }
  } catch (error) {
    close()
    throw error
  }
}

function watchPresence(path: string, everyMs: number): () => void {
  const opened = inodeOf(path)
  let checkedAt = performance.now()
  return () => {
    const now = performance.now()
    if (now - checkedAt < everyMs) return
    if (inodeOf(path) !== opened) throw journalGone(path)
    checkedAt = now
  }
}

/** Undefined where there is no file. */
function inodeOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
}

function journalGone(path: string): RethreadError {
  return new RethreadError({
    code: 'io-error',
    text: `The journal ${path} was removed or replaced while in use. Nothing more is written, because it would be lost.`,
    hint: 'Put the file back and restart rethread. What was only in the removed file cannot be restored.',
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
  // Somebody else may have claimed it meanwhile: as a journal, which is fine, or not.
  if (readNumber(connection, 'PRAGMA application_id') !== APPLICATION_ID) {
    if (!isBlank(connection)) throw foreignDatabase(path)
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
  }
  connection.exec('COMMIT')
}

function setUp(connection: DatabaseSync, synchronous: 'normal' | 'full'): void {
  connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = OFF`)
  connection.exec(`PRAGMA journal_size_limit = ${MAX_LOG_BYTES}`)
  // A cell whose length leads outside of its page is an error of that row, not of whatever lies behind it.
  connection.exec('PRAGMA cell_size_check = ON')
}

/** A journal that came with a wider mode, such as from a backup. Not ours to change where somebody else owns it. */
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
