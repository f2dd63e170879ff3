// The state folder of rethread: files in it are 0600, folders 0700. Everything that this module stores is
// derived and may be deleted at any time. The vault beside it may not.
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { exists } from '../files/read.ts'
import { fromSystemError, systemCode } from '../files/system-errors.ts'
import { isCorruption, SQLITE_FULL, sqliteCode } from '../sqlite/errors.ts'
import { makePrivate } from './own-files.ts'
import { changedSince, markChanges, readAllRows } from './packed-rows.ts'

/** Creates a folder inside the state folder (and the state folder itself), and returns its path. */
export function stateFolder(state: string, ...names: string[]): string {
  const path = join(state, ...names)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

/** The limit of one log file. One older file is kept as well. */
const MAX_LOG_BYTES = 5 * 1024 * 1024

export interface LogFile {
  path: string
  write(line: string): void
}

export function openLogFile(state: string): LogFile {
  const path = join(stateFolder(state), 'rethread.log')
  try {
    if (statSync(path).size > MAX_LOG_BYTES) renameSync(path, `${path}.1`)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fromSystemError(error, path)
  }
  return {
    path,
    write(line) {
      try {
        appendFileSync(path, line, { mode: 0o600 })
      } catch (error) {
        throw fromSystemError(error, path)
      }
    },
  }
}

/**
 * Strings by key, in a database that survives a crash and concurrent processes. A crash loses at most the
 * last few entries.
 */
export interface CacheTable {
  get(key: string): string | undefined
  set(key: string, value: string): void
  delete(key: string): void
  /** All entries, up to `limit`, for a caller that needs most of them. */
  all(limit: number): Map<string, string>
  /** For `changedSince`. Undefined where later changes cannot be noted. */
  mark(): string | undefined
  /** The keys of what was set or deleted since, also by other processes. Undefined where that is not known. */
  changedSince(mark: string): string[] | undefined
  close(): void
}

export interface CacheTableOptions {
  /** Write each value when it is set, so that a crash loses none of them. */
  isWrittenAtOnce?: boolean
}

/**
 * The number of entries written together: a transaction for each would take longer than reading a small session, and
 * those of any order touch most pages of the table.
 */
const CACHE_BATCH = 2000
const CACHE_BUSY_MS = 2000
/** Of a new table. An entry takes up to a thousand bytes, and each page is written by a call of its own. */
const PAGE_BYTES = 8 * 1024

export function openCacheTable(state: string, name: string, options: CacheTableOptions = {}): CacheTable {
  const path = cachePath(state, name)
  try {
    return setUpCacheTable(path, options)
  } catch (error) {
    if (!isCorruption(error))
      throw sqliteCode(error) === undefined ? fromSystemError(error, path) : cacheWriteFailed(path, error)
    clearCacheTable(state, name)
    return setUpCacheTable(path, options)
  }
}

export function hasCacheTable(state: string, name: string): boolean {
  return exists(join(state, `${name}.sqlite`))
}

/**
 * For a cache that turned out to be damaged. Its content was derived from the agents' files and will be
 * again.
 */
export function clearCacheTable(state: string, name: string): void {
  const path = cachePath(state, name)
  try {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

function cachePath(state: string, name: string): string {
  return join(stateFolder(state), `${name}.sqlite`)
}

function setUpCacheTable(path: string, options: CacheTableOptions): CacheTable {
  // The log beside it gets the mode of the database.
  makePrivate(path)
  const database = new DatabaseSync(path, { timeout: CACHE_BUSY_MS })
  try {
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`)
    database.exec('CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID')
    return makeCacheTable(database, path, options)
  } catch (error) {
    database.close()
    throw error
  }
}

function makeCacheTable(
  database: DatabaseSync,
  path: string,
  { isWrittenAtOnce = false }: CacheTableOptions,
): CacheTable {
  const get = database.prepare('SELECT value FROM entries WHERE key = ?')
  const set = database.prepare(
    'INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const remove = database.prepare('DELETE FROM entries WHERE key = ?')
  const pending = new Map<string, string>()
  const attempt = <T>(step: () => T): T => {
    try {
      return step()
    } catch (error) {
      throw sqliteCode(error) === undefined ? error : cacheWriteFailed(path, error)
    }
  }
  const flush = (): void => {
    if (pending.size === 0) return
    // In the order of the table, so that each of its pages is touched once.
    const entries = [...pending].sort(([one], [other]) => (one < other ? -1 : 1))
    pending.clear()
    attempt(() => {
      database.exec('BEGIN IMMEDIATE')
      for (const [key, value] of entries) set.run(key, value)
      database.exec('COMMIT')
    })
  }
  return {
    get(key) {
      const value = pending.get(key) ?? attempt(() => get.get(key)?.['value'])
      return typeof value === 'string' ? value : undefined
    },
    set(key, value) {
      if (isWrittenAtOnce) return void attempt(() => set.run(key, value))
      pending.set(key, value)
      if (pending.size >= CACHE_BATCH) flush()
    },
    delete(key) {
      pending.delete(key)
      attempt(() => remove.run(key))
    },
    all(limit) {
      flush()
      return attempt(() => readAllRows(database, limit))
    },
    mark() {
      flush()
      return attempt(() => markChanges(database))
    },
    changedSince(mark) {
      flush()
      return attempt(() => changedSince(database, mark))
    },
    close() {
      try {
        flush()
      } finally {
        database.close()
      }
    },
  }
}

/** A full disk, or a lock that stays: the content is derived and will be again. */
function cacheWriteFailed(path: string, cause: unknown): RethreadError {
  return new RethreadError({
    code: codeOf(cause),
    text: `${path} could not be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Nothing is lost, but the cache of rethread is incomplete. See how full the disk is: df -h',
    path,
    cause,
  })
}

function codeOf(cause: unknown): ErrorCode {
  if (isCorruption(cause)) return 'database-corrupt'
  return sqliteCode(cause) === SQLITE_FULL ? 'no-space' : 'io-error'
}

/**
 * Keeps a folder below a size by removing the least recently used files. Other processes may do the same at
 * the same time.
 */
export function pruneFolder(folder: string, maxBytes: number): void {
  const files = readdirSync(folder).flatMap(name => {
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? [] : [{ path, size: stats.size, mtimeMs: stats.mtimeMs }]
  })
  files.sort((a, b) => b.mtimeMs - a.mtimeMs)
  let total = 0
  for (const file of files) {
    total += file.size
    if (total > maxBytes) rmSync(file.path, { force: true })
  }
}
