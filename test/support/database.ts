// Databases for tests: small pages, so that cutting one at every byte stays affordable.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
