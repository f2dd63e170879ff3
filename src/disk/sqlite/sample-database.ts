// Databases of made-up sessions, as agents leave them after a clean exit: in write-ahead mode, without a
// remaining log.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type Value = string | number | Uint8Array | null

export interface NewDatabase {
  insert(table: string, row: Record<string, Value>): void
  close(): void
}

/** Rows are committed in batches, so that neither memory nor the log grows with the database. */
const ROWS_PER_COMMIT = 2000

export function createDatabase(path: string, schema: string): NewDatabase {
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path)
  // Generated content may be lost in a crash.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
  database.exec(schema)
  database.exec('BEGIN')
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  let rows = 0
  return {
    insert(table, row) {
      const columns = Object.keys(row)
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
      const statement = statements.get(sql) ?? database.prepare(sql)
      statements.set(sql, statement)
      statement.run(...Object.values(row))
      if (++rows % ROWS_PER_COMMIT === 0) database.exec('COMMIT; BEGIN')
    },
    close() {
      database.exec('COMMIT')
      database.close()
    },
  }
}

/** Runs one statement and returns its rows. */
export function runOnSample(file: string, statement: string, values: readonly Value[]): Record<string, unknown>[] {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(statement).all(...values)
  } finally {
    database.close()
  }
}
