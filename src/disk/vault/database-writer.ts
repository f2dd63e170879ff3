// The database functions that the vault needs, as an interface that tests can replace.
import type { RowChange, SqlValue } from '../../model/plan.ts'
import type { StoredRowJson } from './receipt.ts'
import { loadColumns, storeColumns } from './stored-values.ts'

/** A row as it was and as it is now; null for a missing row. */
export interface StoredRow {
  table: string
  key: Record<string, SqlValue>
  before: Record<string, SqlValue> | null
  after: Record<string, SqlValue> | null
}

export interface DatabaseWriter {
  /** One transaction. `beforeCommit` gets the old rows; if it throws, everything is rolled back. */
  changeRows(file: string, changes: RowChange[], beforeCommit: (old: StoredRow[]) => void): void
  /** May be called for rows that are already restored. */
  restoreRows(file: string, rows: StoredRow[]): void
  /** Writes a new database file. The result is stored in the receipt as JSON. */
  rebuildDatabase(file: string, into: string, fills: readonly string[]): unknown
}

/** Loaded only for plans that change a database. */
export type DatabaseWriters = () => Promise<DatabaseWriter>

export const sqliteWriters: DatabaseWriters = () => import('../sqlite/write-rows.ts')

export function storeRow(row: StoredRow): StoredRowJson {
  return {
    table: row.table,
    key: storeColumns(row.key),
    before: row.before === null ? null : storeColumns(row.before),
    after: row.after === null ? null : storeColumns(row.after),
  }
}

export function loadRow(stored: StoredRowJson): StoredRow {
  return {
    table: stored.table,
    key: loadColumns(stored.key),
    before: stored.before === null ? null : loadColumns(stored.before),
    after: stored.after === null ? null : loadColumns(stored.after),
  }
}
