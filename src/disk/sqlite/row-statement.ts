// A statement that reads rows. Node would make the names of the columns again for each row that it gives as an object, so
// it gives lists of values, and the objects are made here.
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export type Row = Record<string, unknown>

export interface RowStatement {
  statement: StatementSync
  /** The row of one result of the statement. Integers up to 2^53 are numbers. */
  rowOf(result: unknown): Row
}

export function prepareRows(connection: DatabaseSync, sql: string): RowStatement {
  const statement = connection.prepare(sql)
  // Without this, one integer beyond 2^53, such as after a flipped bit, would throw.
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const names = statement.columns().map(({ name }) => name)
  return { statement, rowOf: result => makeRow(names, result as unknown[]) }
}

function makeRow(names: readonly string[], values: readonly unknown[]): Row {
  const row: Row = new EmptyRow()
  for (let at = 0; at < names.length; at++) row[names[at] as string] = plainValue(values[at])
  return row
}

function plainValue(value: unknown): unknown {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Inherits nothing, as the objects of Node: a column may have any name. */
class EmptyRow {
  [name: string]: unknown
}
Object.setPrototypeOf(EmptyRow.prototype, null)
Reflect.deleteProperty(EmptyRow.prototype, 'constructor')
