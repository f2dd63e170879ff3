// Reads a journal without writing: nothing is created, no lock of a writer is in the way, and no writer loses its own.
//
// A journal may be open for writing in another thread of this process. So unlike a database of somebody else it is never opened by other means than
// SQLite's: closing such a descriptor would cost the writer its locks. Nor is it opened with `readonly_shm`: a writer that comes later in the same
// process would share that, and could not write.
import { accessSync, constants } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { statIfThere } from '../../disk/files/handles.ts'
import { fromSystemError } from '../../disk/files/system-errors.ts'
import { asksForRollback, databaseBusy, fromSqliteError, isBusy } from '../../disk/sqlite/errors.ts'
import { BUSY_TIMEOUT_MS, copyDatabase, type DatabaseOptions, databaseUrl } from '../../disk/sqlite/read-database.ts'
import { makeSqlConnection, type SqlConnection } from './sql-connection.ts'

/** So often a reading without locks may be overtaken by a writer; then a copy is read, which nobody can overtake. */
const MAX_OVERTAKEN = 3
const RETRY_EVERY_MS = 50

export interface JournalReader {
  /** Where somebody began to write under a reading that takes no locks, `step` is done again. */
  use<T>(step: (connection: SqlConnection) => T | Promise<T>): Promise<T>
  close(): void
}

/** Opened when it is used. A file that is not there, or no database, is an error then. */
export function openJournalReader(path: string, { busyMs = BUSY_TIMEOUT_MS }: DatabaseOptions = {}): JournalReader {
  return new Reader(path, busyMs)
}

class Reader implements JournalReader {
  readonly #path: string
  readonly #busyMs: number
  #opened: Opened | undefined
  #overtaken = 0
  #waitedMs = 0

  constructor(path: string, busyMs: number) {
    this.#path = path
    this.#busyMs = busyMs
  }

  async use<T>(step: (connection: SqlConnection) => T | Promise<T>): Promise<T> {
    for (;;) {
      try {
        this.#opened ??= open(this.#path, this.#overtaken >= MAX_OVERTAKEN)
        const result = await step(this.#opened.connection)
        if (!this.#opened.isOvertaken()) return result
        this.#overtaken++
      } catch (error) {
        await this.#retryOrThrow(error)
      }
      this.close()
    }
  }

  close(): void {
    this.#opened?.close()
    this.#opened = undefined
  }

  /** Throws what another try will not help. */
  async #retryOrThrow(error: unknown): Promise<void> {
    const isCopy = this.#overtaken >= MAX_OVERTAKEN
    // Pages that were half-written when they were read look like damage.
    if (this.#opened?.isOvertaken() === true) this.#overtaken++
    // Its index would have to be repaired, and may not be written.
    else if (asksForRollback(error) && !isCopy) this.#overtaken = MAX_OVERTAKEN
    else if (!isBusy(error)) throw fromSqliteError(error, this.#path)
    else if (this.#waitedMs >= this.#busyMs) throw databaseBusy(this.#path, this.#waitedMs, error)
    else {
      await sleep(RETRY_EVERY_MS)
      this.#waitedMs += RETRY_EVERY_MS
    }
  }
}

interface Opened {
  connection: SqlConnection
  isOvertaken(): boolean
  close(): void
}

function open(path: string, mustCopy: boolean): Opened {
  assertReadable(path)
  const mark = markOf(path)
  const log = statIfThere(`${path}-wal`, 'stat')
  const hasIndex = statIfThere(`${path}-shm`, 'stat') !== undefined
  if (mustCopy || ((log?.size ?? 0n) > 0n && !hasIndex)) return openCopy(path)
  // With both files there, opening makes none.
  if (log !== undefined && hasIndex) return connect(databaseUrl(path, 'mode=ro'), () => false)
  return connect(databaseUrl(path, 'immutable=1'), () => markOf(path) !== mark)
}

function openCopy(path: string): Opened {
  const copy = copyDatabase(path)
  try {
    const { close, ...opened } = connect(copy.path, () => false)
    const remove = (): void => {
      close()
      copy.remove()
    }
    return { ...opened, close: remove }
  } catch (error) {
    copy.remove()
    throw error
  }
}

function connect(file: string | URL, isOvertaken: () => boolean): Opened {
  const database = new DatabaseSync(file, { readOnly: typeof file !== 'string', timeout: 0 })
  try {
    // Else a cell that leads outside of its page would be read as if it did not.
    database.exec('PRAGMA cell_size_check = ON')
    database.prepare('SELECT count(*) FROM sqlite_master').get()
    return { connection: makeSqlConnection(database), isOvertaken, close: () => database.close() }
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite's own words for it say nothing. */
function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

function markOf(path: string): string {
  return ['', '-wal'].map(suffix => markOfOne(path + suffix)).join(' ')
}

function markOfOne(path: string): string {
  const stats = statIfThere(path, 'stat')
  return stats === undefined ? '-' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':')
}
