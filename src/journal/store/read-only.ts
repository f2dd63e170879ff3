// Reads a journal without writing: it creates no file, waits for no writer, and takes no lock from one. The
// journal may be open for writing in another thread of this process. So it is only opened through SQLite:
// closing another descriptor would drop the writer's locks. It is not opened with `readonly_shm` either: a
// later writer in the same process would share that and could not write.
import { accessSync, constants } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { statIfThere } from '../../disk/files/handles.ts'
import { fromSystemError } from '../../disk/files/system-errors.ts'
import { asksForRollback, databaseBusy, fromSqliteError, isBusy } from '../../disk/sqlite/errors.ts'
import { BUSY_TIMEOUT_MS, copyDatabase, type DatabaseOptions, databaseUrl } from '../../disk/sqlite/read-database.ts'
import { makeSqlConnection, type SqlConnection } from './sql-connection.ts'

/** How often a reading without locks may be repeated because of a writer. Then a copy is read. */
const MAX_OVERTAKEN = 3
const RETRY_EVERY_MS = 50

export interface JournalReader {
  /** Repeats `step` where a process started to write during a reading without locks. */
  use<T>(step: (connection: SqlConnection) => T | Promise<T>): Promise<T>
  close(): void
}

/** Opens the file on first use. Throws then where it is missing or not a database. */
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

  /** Throws unless another attempt can help. */
  async #retryOrThrow(error: unknown): Promise<void> {
    const isCopy = this.#overtaken >= MAX_OVERTAKEN
    // Half-written pages look like damage.
    if (this.#opened?.isOvertaken() === true) this.#overtaken++
    // The index needs a repair, which a reader may not write. Read a copy.
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
  // With both files present, opening creates none.
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
    // Report a cell that leaves its page instead of reading past it.
    database.exec('PRAGMA cell_size_check = ON')
    database.prepare('SELECT count(*) FROM sqlite_master').get()
    return { connection: makeSqlConnection(database), isOvertaken, close: () => database.close() }
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite's own message does not say why. */
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
