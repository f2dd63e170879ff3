// What must be known of a table to remove a row and restore it unchanged.
import type { DatabaseSync } from 'node:sqlite'
import type { SqlValue } from '../../model/plan.ts'
import { bindExact, exactRow, quoteName, selectExact } from './values.ts'

export interface Table {
  schema: string
  name: string
  /** Columns that store values. Computed columns are left out. */
  columns: string[]
  /** The columns of the primary key, in its order. */
  primaryKey: string[]
  /**
   * The name of the row number where it is not a column. Undefined where rows have none, or a column holds
   * it.
   */
  rowNumber: string | undefined
  /** The column that is the row number. */
  numberColumn: string | undefined
}

export interface Where {
  sql: string
  values: SqlValue[]
}

/** Undefined where the table does not exist. */
export function describeTable(connection: DatabaseSync, schema: string, name: string): Table | undefined {
  const kind = connection
    .prepare('SELECT type, wr FROM pragma_table_list(?) WHERE schema = ? AND name = ?')
    .get(name, schema, name)
  if (kind === undefined) return undefined
  const rows = connection.prepare('SELECT name, type, pk, hidden FROM pragma_table_xinfo(?, ?)').all(name, schema)
  const all = new Set(rows.map(row => String(row['name']).toLowerCase()))
  const keys = rows.filter(row => Number(row['pk']) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk']))
  const isNumbered = Number(kind['wr']) === 0
  const [only] = keys
  const isNumber = isNumbered && keys.length === 1 && String(only?.['type']).toUpperCase() === 'INTEGER'
  return {
    schema,
    name,
    columns: rows.filter(row => Number(row['hidden']) === 0).map(row => String(row['name'])),
    primaryKey: keys.map(row => String(row['name'])),
    numberColumn: isNumber ? String(only?.['name']) : undefined,
    rowNumber: isNumbered && !isNumber ? ['rowid', '_rowid_', 'oid'].find(word => !all.has(word)) : undefined,
  }
}

/** Everything that is stored of a row, including its number. */
export function storedColumns(table: Table): string[] {
  return table.rowNumber === undefined ? table.columns : [table.rowNumber, ...table.columns]
}

export function nameInSchema(table: Table): string {
  return `${quoteName(table.schema)}.${quoteName(table.name)}`
}

export function whereEqual(columns: Record<string, SqlValue>): Where {
  const bound = Object.entries(columns).map(([name, value]) => ({ name, ...bindExact(value) }))
  return {
    sql: bound.map(({ name, sql }) => `${quoteName(name)} IS ${sql}`).join(' AND ') || '1',
    values: bound.map(({ value }) => value),
  }
}

/** Returns up to two rows, so that a caller that expects one notices if there are more. */
export function readRows(connection: DatabaseSync, table: Table, where: Where): Record<string, SqlValue>[] {
  const columns = storedColumns(table)
  const statement = connection.prepare(
    `SELECT ${selectExact(columns)} FROM ${nameInSchema(table)} WHERE ${where.sql} LIMIT 2`,
  )
  statement.setReadBigInts(true)
  return statement.all(...where.values).map(row => exactRow(columns, row))
}
