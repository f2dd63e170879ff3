// rethread's own folder: files in it are 0600, folders 0700. Everything in here is derived and may be deleted at any time.
import { appendFileSync, chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { RethreadError } from '../model/errors.ts'
import { fromSystemError, systemCode } from './errors.ts'
import { isCorruption, SQLITE_FULL, sqliteCode } from './sqlite-errors.ts'

/** Makes a folder inside the state folder (and the state folder itself), and returns its path. */
export function stateFolder(state: string, ...names: string[]): string {
  const path = join(state, ...names)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

/** One log file of this size and one older; what is older still is gone. */
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

/** Strings by key, in a database of ours that survives a crash and several of us at once. A crash costs at most the last few that were set. */
export interface Shelf {
  get(key: string): string | undefined
  set(key: string, value: string): void
  close(): void
}

/** So many are written together: a transaction for each would cost more than reading a small session. */
const SHELF_BATCH = 100
const SHELF_BUSY_MS = 2000

export function openShelf(state: string, name: string): Shelf {
  const path = join(stateFolder(state), `${name}.sqlite`)
  try {
    return useShelf(path)
  } catch (error) {
    if (!isCorruption(error))
      throw sqliteCode(error) === undefined ? fromSystemError(error, path) : notKept(path, error)
    // What is on a shelf was derived from the agents' files and will be again.
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    return useShelf(path)
  }
}

function useShelf(path: string): Shelf {
  const database = new DatabaseSync(path, { timeout: SHELF_BUSY_MS })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec('CREATE TABLE IF NOT EXISTS shelf (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID')
  chmodSync(path, 0o600)
  const get = database.prepare('SELECT value FROM shelf WHERE key = ?')
  const set = database.prepare('INSERT INTO shelf VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value')
  const pending = new Map<string, string>()
  const flush = (): void => {
    if (pending.size === 0) return
    const entries = [...pending]
    pending.clear()
    try {
      database.exec('BEGIN IMMEDIATE')
      for (const [key, value] of entries) set.run(key, value)
      database.exec('COMMIT')
    } catch (error) {
      throw notKept(path, error)
    }
  }
  return {
    get(key) {
      const value = pending.get(key) ?? get.get(key)?.['value']
      return typeof value === 'string' ? value : undefined
    },
    set(key, value) {
      pending.set(key, value)
      if (pending.size >= SHELF_BATCH) flush()
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

/** A full disk, a lock that does not go away: what was to be kept is derived, and will be again. */
function notKept(path: string, cause: unknown): RethreadError {
  return new RethreadError({
    code: sqliteCode(cause) === SQLITE_FULL ? 'no-space' : 'io-error',
    text: `${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Nothing is lost, but what rethread remembers is not complete. See how full the disk is: df -h',
    path,
    cause,
  })
}

/** Keeps a folder of ours below a size by removing what was used longest ago. Another of us may do the same at the same time. */
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
