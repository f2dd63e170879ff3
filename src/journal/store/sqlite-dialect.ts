// kysely over node:sqlite: one connection at a time, transactions that lock for writing at once, and errors
// as RethreadErrors.
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { fromJournalError, whenFree } from './database.ts'
import type { BoundValue, SqlConnection, StoredRecord } from './sql-connection.ts'

export interface SqliteDialectOptions {
  connection: SqlConnection
  /** For error texts. */
  path: string
  busyMs: number
}

export function makeSqliteDialect(options: SqliteDialectOptions): Dialect {
  return {
    createAdapter: () => new JournalAdapter(),
    createDriver: () => new JournalDriver(options),
    createIntrospector: database => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/**
 * Runs a compiled statement in the open transaction directly. kysely's own path costs more than the
 * statement.
 */
export function runInTransaction({ connection, path }: SqliteDialectOptions, query: CompiledQuery): StoredRecord[] {
  try {
    return connection.run(query.sql, query.parameters.map(bind)).rows
  } catch (error) {
    throw fromJournalError(error, path)
  }
}

/** Runs one transaction directly. Nothing else may use the connection meanwhile. */
export async function transact(options: SqliteDialectOptions, work: () => Promise<void>): Promise<void> {
  const { connection, path, busyMs } = options
  const run = (sql: string) => whenFree(path, busyMs, () => connection.run(sql, []))
  await run('BEGIN IMMEDIATE')
  try {
    await work()
    await run('COMMIT')
  } catch (error) {
    // SQLite itself rolls back on a full or failing disk.
    if (connection.isInTransaction) await run('ROLLBACK')
    throw error
  }
}

/** SQLite creates tables in transactions, so a migration is atomic and runs in one process at a time. */
class JournalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class JournalDriver implements Driver {
  readonly #options: SqliteDialectOptions
  readonly #connection: SqliteConnection
  readonly #turns = new Turns()

  constructor(options: SqliteDialectOptions) {
    this.#options = options
    this.#connection = new SqliteConnection(options)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.take()
    return this.#connection
  }

  /** `IMMEDIATE`: what the transaction reads stays true until it writes, even with other processes. */
  async beginTransaction(): Promise<void> {
    await this.#run('BEGIN IMMEDIATE')
  }

  async commitTransaction(): Promise<void> {
    await this.#run('COMMIT')
  }

  /** SQLite itself rolls back on a full or failing disk. */
  async rollbackTransaction(): Promise<void> {
    if (this.#options.connection.isInTransaction) await this.#run('ROLLBACK')
  }

  async releaseConnection(): Promise<void> {
    this.#turns.give()
  }

  /** The opener closes the file. */
  async destroy(): Promise<void> {}

  async #run(sql: string): Promise<void> {
    const { connection, path, busyMs } = this.#options
    await whenFree(path, busyMs, () => connection.run(sql, []))
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #options: SqliteDialectOptions

  constructor(options: SqliteDialectOptions) {
    this.#options = options
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { connection, path, busyMs } = this.#options
    const { rows, changes } = await whenFree(path, busyMs, () => connection.run(sql, parameters.map(bind)))
    return { rows: typed<R[]>(rows), numAffectedRows: changes }
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const { connection, path, busyMs } = this.#options
    const given = connection.each(sql, parameters.map(bind))
    try {
      // Only the first row can meet a lock. From then on the read has its own snapshot.
      let step = await whenFree(path, busyMs, () => given.next())
      for (; !step.done; step = given.next()) yield { rows: typed<R[]>([step.value]) }
    } catch (error) {
      throw fromJournalError(error, path)
    } finally {
      given.return()
    }
  }
}

/** Readers check the values of a row: see event-rows.ts and session-rows.ts. kysely only needs a type. */
function typed<R>(rows: object): R {
  return rows as R
}

function bind(value: unknown): BoundValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value
    default:
      if (value === null || value instanceof Uint8Array) return value
      throw new TypeError(`A journal holds no ${typeof value}.`)
  }
}

/** A queue for the connection, in the order of the requests. */
class Turns {
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  async take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#isTaken = true
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else next()
  }
}
