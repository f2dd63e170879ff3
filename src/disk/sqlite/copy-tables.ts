// Copies all tables of the database attached as `old` into the new one, and fills gaps from the copied rows.
import type { DatabaseSync } from 'node:sqlite'
import { isCorruption, sqliteCode } from './errors.ts'
import { type SalvagedRows, salvageTable } from './salvage.ts'
import { createObjects, createTables, type SchemaObject } from './schema.ts'
import { describeTable } from './tables.ts'

export interface RebuildReport {
  tables: TableReport[]
  /** Tables, indexes, views and triggers whose definition could not be used. */
  unusable: string[]
  /** The number of rows restored from other content of the database. */
  filled: number
  /** Why rows could not be restored. */
  unfilled: string[]
}

export interface TableReport extends SalvagedRows {
  table: string
}

export function copyTables(connection: DatabaseSync, schema: SchemaObject[], fills: readonly string[]): RebuildReport {
  const unusable = createTables(connection, schema)
  const report: RebuildReport = { tables: [], unusable, filled: 0, unfilled: [] }
  for (const { type, name } of schema) {
    const [from, to] =
      type === 'table' ? [describeTable(connection, 'old', name), describeTable(connection, 'main', name)] : []
    if (to === undefined || name.startsWith('sqlite_')) continue
    const salvaged =
      from === undefined
        ? { copied: 0, lost: [{ after: '', before: '' }], ignored: 0 }
        : salvageTable(connection, from, to)
    report.tables.push({ table: name, ...salvaged })
  }
  if (schema.some(({ name }) => name === 'sqlite_sequence')) copySequence(connection)
  unusable.push(...createObjects(connection, schema, 'index'))
  for (const sql of fills) if (isLossy(report) || !putsRowsIn(sql)) fill(connection, sql, report)
  unusable.push(...createObjects(connection, schema, 'view'), ...createObjects(connection, schema, 'trigger'))
  // The statistics that SQLite has on its indexes, made again from the rows that are there now.
  if (schema.some(({ name }) => name === 'sqlite_stat1')) connection.exec('ANALYZE main')
  return report
}

/**
 * The last row numbers given out, which may be of deleted rows. Where they cannot be read, copying has
 * derived them from the rows.
 */
function copySequence(connection: DatabaseSync): void {
  // The old database keeps this table even where no table needs it.
  if (describeTable(connection, 'main', 'sqlite_sequence') === undefined) return
  try {
    connection.exec('CREATE TEMP TABLE sequence AS SELECT name, seq FROM old.sqlite_sequence')
  } catch (error) {
    if (isCorruption(error)) return
    throw error
  }
  connection.exec(
    'DELETE FROM main.sqlite_sequence; INSERT INTO main.sqlite_sequence SELECT name, seq FROM temp.sequence',
  )
}

export function isLossy({ tables, unusable }: RebuildReport): boolean {
  return unusable.length > 0 || tables.some(({ lost, ignored }) => lost.length > 0 || ignored > 0)
}

/** Rows are restored only where some were lost. Updates always run. */
function putsRowsIn(sql: string): boolean {
  return /^\s*INSERT\b/i.test(sql)
}

function fill(connection: DatabaseSync, sql: string, report: RebuildReport): void {
  try {
    report.filled += Number(connection.prepare(sql).run().changes)
  } catch (error) {
    // The agent's version has other tables and columns.
    if (sqliteCode(error) === undefined || !(error instanceof Error)) throw error
    report.unfilled.push(error.message)
  }
}
