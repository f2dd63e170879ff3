// What the vault asks of whoever writes databases, so that a test can stand in for it.
import type { RowChange, SqlValue } from '../../model/plan.ts'
import type { StoredRowJson } from './receipt.ts'
import { loadColumns, storeColumns } from './stored-values.ts'

/** A row as it was and as it is now; null where there was or is none. */
export interface StoredRow {
  table: string
  key: Record<string, SqlValue>
  before: Record<string, SqlValue> | null
  after: Record<string, SqlValue> | null
}

export interface DatabaseWriter {
  /** One transaction; `beforeCommit` is told the old rows, and what it throws rolls everything back. */
  changeRows(file: string, changes: RowChange[], beforeCommit: (old: StoredRow[]) => void): void
  /** May be called for rows that already are as they were. */
  restoreRows(file: string, rows: StoredRow[]): void
  /** Writes a new database file; what it returns is kept in the receipt, as JSON. */
  rebuildDatabase(file: string, into: string, fills: readonly string[]): unknown
}

/** Asked for only by plans that touch a database. */
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
