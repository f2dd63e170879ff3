// kysely over node:sqlite: one connection that takes turns, transactions that write from their first statement on, and errors in rethread's words.
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { fromJournalError, whenFree } from './database.ts'
import type { BoundValue, SqlConnection, StoredRecord } from './sql-connection.ts'

export interface SqliteDialectOptions {
  connection: SqlConnection
  /** For what is said of errors. */
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

/** Runs a statement that kysely has put together inside the transaction that is open, without kysely's way there, which costs more than the statement. */
export function runInTransaction({ connection, path }: SqliteDialectOptions, query: CompiledQuery): StoredRecord[] {
  try {
    return connection.run(query.sql, query.parameters.map(bind)).rows
  } catch (error) {
    throw fromJournalError(error, path)
  }
}

/** One transaction, likewise. For a connection that nobody else uses meanwhile. */
export async function transact(options: SqliteDialectOptions, work: () => Promise<void>): Promise<void> {
  const { connection, path, busyMs } = options
  const run = (sql: string) => whenFree(path, busyMs, () => connection.run(sql, []))
  await run('BEGIN IMMEDIATE')
  try {
    await work()
    await run('COMMIT')
  } catch (error) {
    // SQLite has rolled back by itself where the disk was full or failing.
    if (connection.isInTransaction) await run('ROLLBACK')
    throw error
  }
}

/** All of a migration or nothing, and only one process at a time: SQLite's tables are made in transactions like everything else. */
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

  /** `IMMEDIATE`: what is read in it is still true when it is written, whoever else has the journal open. */
  async beginTransaction(): Promise<void> {
    await this.#run('BEGIN IMMEDIATE')
  }

  async commitTransaction(): Promise<void> {
    await this.#run('COMMIT')
  }

  /** SQLite has rolled back by itself where the disk was full or failing. */
  async rollbackTransaction(): Promise<void> {
    if (this.#options.connection.isInTransaction) await this.#run('ROLLBACK')
  }

  async releaseConnection(): Promise<void> {
    this.#turns.give()
  }

  /** The file is closed by whoever opened it. */
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
      // A lock can be in the way of the first row only: from then on the reading has its own view.
      let step = await whenFree(path, busyMs, () => given.next())
      for (; !step.done; step = given.next()) yield { rows: typed<R[]>([step.value]) }
    } catch (error) {
      throw fromJournalError(error, path)
    } finally {
      given.return()
    }
  }
}

/** What a row holds is checked by whoever asked for it: see read-event.ts and session-rows.ts. kysely only wants it to have a type. */
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

/** One after the other, in the order in which they asked. */
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
