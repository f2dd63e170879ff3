// Reads a database that another program writes, without leaving a trace beside it. A plain read-only open of
// a WAL database creates `-wal` and `-shm` files in the agent's folder. So the mode depends on the files that
// exist: no log → `immutable`, which touches nothing; a log with its index → `readonly_shm`; a log without
// its index, or a hot journal → a private copy.
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { RethreadError } from '../../model/errors.ts'
import { Turn } from '../files/pace.ts'
import { assertInside, openFile, statPath } from '../files/read.ts'
import { emptyFile } from '../files/system-errors.ts'
import {
  assertReadable,
  databaseMark,
  fileSize,
  isWriteAheadLogged,
  makePrivateCopy,
  type PrivateCopy,
} from './database-files.ts'
import { asksForRollback, databaseBusy, fromSqliteError, isPassing, SQLITE_CANTOPEN, sqliteCode } from './errors.ts'
import { type Connection, KeptConnections, openConnection } from './kept-connections.ts'
import type { Row, RowStatement } from './row-statement.ts'
import { prepareRows } from './row-statement.ts'

export { databaseMark, roughDatabaseMark } from './database-files.ts'
export { sqliteCode } from './errors.ts'
export type { Row } from './row-statement.ts'

/** As long as the agents themselves wait. */
export const BUSY_TIMEOUT_MS = 5000
const RETRY_EVERY_MS = 50
/** A database whose log has no index must be copied to be read. Beyond this size that costs too much. */
const MAX_COPY_BYTES = 4 * 1024 * 1024 * 1024
/** How often a reading without locks may be overtaken by a writer. After that, a copy is read. */
const MAX_OVERTAKEN = 2

export interface Database {
  path: string
  /** Integers beyond 2^53 are returned as bigint, everything else as its plain value. */
  all(sql: string, ...values: (string | number)[]): Row[]
  /** The first row, much faster than a list of it. */
  get(sql: string, ...values: (string | number)[]): Row | undefined
  /** Rows one by one, for tables that do not fit into memory. */
  each(sql: string, ...values: (string | number)[]): Generator<Row, void, void>
  hasTable(name: string): boolean
  columns(table: string): Set<string>
}

export interface DatabaseOptions {
  /** How long to wait for a lock; tests wait less. */
  busyMs?: number
}

/**
 * Opens, reads one consistent snapshot, closes. Throws `database-busy`, `database-corrupt` and the file
 * errors.
 */
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

/** Reads a copy of rethread that stands for another database. Errors name the original. */
export function readStandIn<T>(path: string, shownPath: string, use: (database: Database) => T): T {
  // biome-ignore lint/correctness/useYield: a stream that yields nothing is just its result
  const reading = useConnection(path, 'copy', shownPath, function* (database): Generator<never, T, void> {
    return use(database)
  })
  return reading.next().value
}

/**
 * Like `readDatabase`, one item at a time with the snapshot held open. If the database changes during a
 * reading without locks, `use` runs again from the start and repeats items. The caller must recognise them by
 * their ids.
 */
export async function* streamDatabase<T, R>(
  path: string,
  storeRoot: string,
  use: (database: Database) => Generator<T, R, void>,
  options: DatabaseOptions = {},
): AsyncGenerator<T, R, void> {
  assertReadableDatabase(path, storeRoot)
  const patienceMs = options.busyMs ?? BUSY_TIMEOUT_MS
  // Only waiting counts: a long reading that was overtaken at its end has not waited yet.
  let waitedMs = 0
  let overtaken = 0
  for (;;) {
    const reading = streamOnce(path, use, overtaken >= MAX_OVERTAKEN)
    const turn = new Turn()
    try {
      // Not `yield*` of a paced reading: that takes twice as long for each item.
      for (;;) {
        const step = reading.next()
        if (step.done) return step.value
        yield step.value
        if (turn.isOver()) await turn.next()
      }
    } catch (error) {
      if (error === OVERTAKEN) overtaken++
      else if (!isPassing(error)) throw fromSqliteError(error, path)
      if (waitedMs >= patienceMs)
        throw sqliteCode(error) === SQLITE_CANTOPEN ? fromSqliteError(error, path) : databaseBusy(path, waitedMs, error)
      const pauseMs = Math.min(RETRY_EVERY_MS, patienceMs - waitedMs)
      await sleep(pauseMs)
      waitedMs += pauseMs
    } finally {
      // Closes the connection also when the caller stops early.
      reading.return(undefined as R)
    }
  }
}

const OVERTAKEN = new Error('the database changed while it was read without a lock')

function* streamOnce<T, R>(
  path: string,
  use: (database: Database) => Generator<T, R, void>,
  mustCopy: boolean,
): Generator<T, R, void> {
  const before = databaseMark(path)
  const way = mustCopy ? 'copy' : openMode(path)
  const assertUnchanged = () => {
    if (databaseMark(path) !== before) throw OVERTAKEN
  }
  if (way === 'copy') return yield* streamCopy(path, use, assertUnchanged)
  try {
    // A connection with an index holds a lock, also between readings: its writer could not remove its log.
    const result = yield* useConnection(path, way, path, use, way === 'readonly_shm=1' ? undefined : before)
    // `immutable` takes no locks, so the result is valid only if no process wrote meanwhile.
    if (way === 'immutable=1') assertUnchanged()
    return result
  } catch (error) {
    // Half-written pages that are read without a lock look like damage. They are not, if a process was
    // writing them.
    if (way === 'immutable=1' && sqliteCode(error) !== undefined) assertUnchanged()
    throw error
  }
}

function* streamCopy<T, R>(
  path: string,
  use: (database: Database) => Generator<T, R, void>,
  assertUnchanged: () => void,
): Generator<T, R, void> {
  const copy = copyDatabase(path)
  try {
    assertUnchanged()
    return yield* useConnection(copy.path, 'copy', path, use)
  } finally {
    copy.remove()
  }
}

export type OpenMode = 'immutable=1' | 'readonly_shm=1' | 'mode=ro' | 'copy'

export function openMode(path: string): OpenMode {
  const isLogged = isWriteAheadLogged(path)
  if ((fileSize(`${path}-journal`) ?? 0) > 0) return isLogged || isHot(path) ? 'copy' : 'mode=ro'
  if (!isLogged) return 'mode=ro'
  const logBytes = fileSize(`${path}-wal`)
  // If the index exists, a process may be writing: the locks in it are taken even if the log is empty at the
  // moment.
  if (logBytes !== undefined && fileSize(`${path}-shm`) !== undefined) return 'readonly_shm=1'
  return (logBytes ?? 0) === 0 ? 'immutable=1' : 'copy'
}

/**
 * A journal whose writer died in a transaction. Rolling it back would write, so a copy is rolled back
 * instead.
 */
function isHot(path: string): boolean {
  const connection = new DatabaseSync(databaseUrl(path, 'mode=ro'), { readOnly: true, timeout: 0 })
  try {
    connection.prepare('SELECT count(*) FROM sqlite_master').get()
    return false
  } catch (error) {
    if (asksForRollback(error)) return true
    throw error
  } finally {
    connection.close()
  }
}

const connections = new KeptConnections<Database>()

/** For a caller that reads many sessions: a database that holds several of them is opened once. */
export function keepConnections<T>(use: () => Promise<T>): Promise<T> {
  return connections.during(use)
}

function* useConnection<T, R>(
  file: string,
  way: OpenMode,
  shownPath: string,
  use: (database: Database) => Generator<T, R, void>,
  /** Of the database as it is now; without it, the connection is not used again. */
  mark?: string,
): Generator<T, R, void> {
  const open = () => connect(file, way, shownPath)
  const state = `${way} ${mark}`
  const connection = mark === undefined ? open() : connections.take(file, state, open)
  let isDone = false
  try {
    beginSnapshot(connection)
    const result = yield* use(connection.prepared)
    isDone = true
    return result
  } finally {
    if (isDone && mark !== undefined) connections.give(file, state, connection)
    else connection.close()
  }
}

export function connect(file: string, way: OpenMode, shownPath = file): Connection<Database> {
  return openConnection(
    () =>
      way === 'copy'
        ? new DatabaseSync(file, { timeout: 0 })
        : new DatabaseSync(databaseUrl(file, way), { readOnly: true, timeout: 0 }),
    database => makeDatabase(database, shownPath),
  )
}

export function beginSnapshot({ database, prepared }: Connection<Database>): void {
  database.exec('BEGIN')
  // It begins with the first read.
  prepared.all('SELECT count(*) FROM sqlite_master')
}

export function databaseUrl(path: string, parameters: string): URL {
  const url = pathToFileURL(path)
  url.search = `?${parameters}`
  return url
}

/** For a database that cannot be read in place. The caller must remove it. */
export function copyDatabase(path: string): PrivateCopy {
  const size = (fileSize(path) ?? 0) + (fileSize(`${path}-wal`) ?? 0)
  if (size <= MAX_COPY_BYTES) return makePrivateCopy(path)
  throw new RethreadError({
    code: 'database-busy',
    text: `${path} has an unfinished log and is too large (${size} bytes) to be copied for reading.`,
    hint: 'Start the agent once and close it again: it completes the log. Then try again.',
    path,
  })
}

function makeDatabase(connection: DatabaseSync, path: string): Database {
  const prepare = (sql: string) => prepareRows(connection, sql)
  // The same few queries run for every message. A statement that still yields rows cannot be reused, so
  // `each` prepares its own.
  const prepared = new Map<string, RowStatement>()
  const statementFor = (sql: string): RowStatement => {
    const known = prepared.get(sql) ?? prepare(sql)
    prepared.set(sql, known)
    return known
  }
  const database: Database = {
    path,
    all(sql, ...values) {
      const { statement, rowOf } = statementFor(sql)
      return statement.all(...values).map(rowOf)
    },
    get(sql, ...values) {
      const { statement, rowOf } = statementFor(sql)
      const row = statement.get(...values)
      return row === undefined ? undefined : rowOf(row)
    },
    *each(sql, ...values) {
      const { statement, rowOf } = prepare(sql)
      for (const row of statement.iterate(...values)) yield rowOf(row)
    },
    hasTable: name => database.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0,
    columns: table =>
      new Set(database.all('SELECT name FROM pragma_table_info(?)', table).map(row => String(row['name']))),
  }
  return database
}

export function assertReadableDatabase(path: string, storeRoot: string): void {
  assertInside(path, storeRoot)
  const stats = statPath(path)
  // `openFile` throws the right error for everything that is not a regular file.
  if (!stats.isFile()) openFile(path, storeRoot).close()
  assertReadable(path)
  if (stats.size === 0n) throw emptyFile(path)
}
