// Databases for tests: small pages, so that cutting one at every byte stays affordable.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'

/** Makes a database below `home`, lets `fill` put tables and rows into it, and returns its path. */
export function putDatabase(
  home: string,
  name: string,
  fill: (database: DatabaseSync) => void,
  pageBytes = 512,
): string {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA journal_mode = WAL`)
  database.exec('BEGIN')
  fill(database)
  database.exec('COMMIT')
  database.close()
  return path
}

/** The way to put a database with these tables, and what a test fills in. */
export function putterOf(schema: string, usualPlace: string) {
  return (home: string, fill: (database: DatabaseSync) => void, place = usualPlace, pageBytes?: number): string => {
    const make = (database: DatabaseSync) => {
      database.exec(schema)
      fill(database)
    }
    return putDatabase(home, place, make, pageBytes)
  }
}

/** One statement, and what it gives. */
export function runSql(
  file: string,
  statement: string,
  values: SQLInputValue[] = [],
): Record<string, SQLOutputValue>[] {
  const database = new DatabaseSync(file)
  try {
    return database.prepare(statement).all(...values)
  } finally {
    database.close()
  }
}
