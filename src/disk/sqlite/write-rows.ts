// The only place that opens another program's database for writing: a few rows in one transaction. Each old
// row is reported before the commit.
import { DatabaseSync } from 'node:sqlite'
import type { RowChange, SqlValue } from '../../model/plan.ts'
import { type Handle, openHandle, statHandle, statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, systemCode } from '../files/system-errors.ts'
import type { StoredRow } from '../vault/database-writer.ts'
import { planOutdated } from '../vault/errors.ts'
import { closeDescriptor, holdDescriptors } from './database-files.ts'
import { fromSqliteWriteError, rowConflict, unsupportedEncoding } from './errors.ts'
import { BUSY_TIMEOUT_MS, type DatabaseOptions, databaseUrl } from './read-database.ts'
import { describeTable, nameInSchema, readRows, storedColumns, type Table, type Where, whereEqual } from './tables.ts'
import { type Bound, bindExact, bindPlanned, isSameValue, quoteName } from './values.ts'

export type { StoredRow } from '../vault/database-writer.ts'
export { type RebuildReport, rebuildDatabase } from './rebuild.ts'

type Columns = Record<string, SqlValue>

/**
 * Makes all changes or none. `beforeCommit` gets the old rows once the new ones are in place; if it throws,
 * everything is rolled back.
 */
export function changeRows(
  file: string,
  changes: RowChange[],
  beforeCommit: (old: StoredRow[]) => void,
  options: DatabaseOptions = {},
): void {
  inTransaction(file, options, connection => {
    const old = changes.map(change => changeRow(connection, file, change))
    beforeCommit(old)
  })
}

/**
 * Restores old rows. A row that already is as it was is left alone. One that another program has changed
 * since is an `undo-conflict`.
 */
export function restoreRows(file: string, rows: StoredRow[], options: DatabaseOptions = {}): void {
  inTransaction(file, options, connection => {
    for (const row of joinChanges(rows)) restoreRow(connection, file, row)
  })
}

/** A row that was changed twice is restored directly to its first state. */
function joinChanges(rows: readonly StoredRow[]): StoredRow[] {
  const joined = new Map<string, StoredRow>()
  for (const row of rows) {
    const id = `${row.table} ${nameRow(row.key)}`
    joined.set(id, { ...row, before: joined.get(id)?.before ?? row.before })
  }
  return [...joined.values()]
}

function inTransaction(file: string, options: DatabaseOptions, work: (connection: DatabaseSync) => void): void {
  const release = holdDescriptors()
  let connection: DatabaseSync | undefined
  let writtenNs: bigint | undefined
  const waitMs = options.busyMs ?? BUSY_TIMEOUT_MS
  try {
    // A row that a foreign key deletes along with another would be missing from the receipt.
    connection = new DatabaseSync(databaseUrl(file, 'mode=rw'), { timeout: waitMs, enableForeignKeyConstraints: false })
    connection.exec('BEGIN IMMEDIATE')
    writtenNs = lastWrittenNs(file)
    if (connection.prepare('PRAGMA encoding').get()?.['encoding'] !== 'UTF-8') throw unsupportedEncoding(file)
    work(connection)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection?.isTransaction) connection.exec('ROLLBACK')
    throw fromSqliteWriteError(error, file, waitMs)
  } finally {
    connection?.close()
    release()
  }
  if (writtenNs !== undefined) restoreWrittenTime(file, writtenNs)
}

function changeRow(connection: DatabaseSync, file: string, { table: name, key, change, expect }: RowChange): StoredRow {
  const table = tableOf(connection, file, name)
  const before = findRow(connection, file, table, key)
  if (change.type === 'insert') {
    if (before !== undefined) throw planOutdated(file, `row ${nameRow(key)} of table ${name} exists by now`)
    insert(connection, table, pick(change.values, table.columns))
    return { table: name, key, before: null, after: findRow(connection, file, table, key) ?? null }
  }
  if (before === undefined) throw planOutdated(file, `row ${nameRow(key)} of table ${name} is gone`)
  for (const [column, value] of Object.entries(expect ?? {}))
    if (!isSameValue(before[column] ?? null, value))
      throw planOutdated(file, `row ${nameRow(key)} of table ${name} has changed`)
  const where = whereIs(table, before)
  if (change.type === 'delete') {
    run(connection, `DELETE FROM ${nameInSchema(table)} WHERE ${where.sql}`, where.values)
    return { table: name, key, before, after: null }
  }
  update(connection, table, bindAll(change.set, bindPlanned), where)
  const after = readRows(connection, table, whereIs(table, { ...before, ...change.set }))[0] ?? null
  return { table: name, key, before, after }
}

function restoreRow(connection: DatabaseSync, file: string, { table: name, key, before, after }: StoredRow): void {
  const table = tableOf(connection, file, name)
  const current = findRow(connection, file, table, after === null ? key : keyIn(after, key))
  if (isSameRow(table, current, before)) return
  if (!isSameRow(table, current, after)) throw rowConflict(file, name, nameRow(key))
  if (before === null) remove(connection, table, current)
  else if (current === undefined) insert(connection, table, before)
  else update(connection, table, bindAll(pick(before, table.columns), bindExact), whereIs(table, current))
}

function tableOf(connection: DatabaseSync, file: string, name: string): Table {
  const table = describeTable(connection, 'main', name)
  if (table === undefined) throw planOutdated(file, `it no longer has a table ${name}`)
  return table
}

function findRow(connection: DatabaseSync, file: string, table: Table, key: Columns): Columns | undefined {
  const rows = readRows(connection, table, whereEqual(key))
  if (rows.length > 1) throw planOutdated(file, `several rows of table ${table.name} are ${nameRow(key)}`)
  return rows[0]
}

/** Exactly this row: by its number where it has one. */
function whereIs(table: Table, row: Columns): Where {
  const number = table.rowNumber ?? table.numberColumn
  return whereEqual(pick(row, number === undefined ? table.primaryKey : [number]))
}

function update(connection: DatabaseSync, table: Table, set: [string, Bound][], where: Where): void {
  const assignments = set.map(([name, { sql }]) => `${quoteName(name)} = ${sql}`).join(', ')
  const values = [...set.map(([, { value }]) => value), ...where.values]
  run(connection, `UPDATE ${nameInSchema(table)} SET ${assignments} WHERE ${where.sql}`, values)
}

function remove(connection: DatabaseSync, table: Table, row: Columns | undefined): void {
  if (row === undefined) return
  const where = whereIs(table, row)
  run(connection, `DELETE FROM ${nameInSchema(table)} WHERE ${where.sql}`, where.values)
}

/** With its number, unless a newer row has it: only SQLite uses such a number. */
function insert(connection: DatabaseSync, table: Table, row: Columns): void {
  const { rowNumber } = table
  const isTaken = rowNumber !== undefined && readRows(connection, table, whereEqual(pick(row, [rowNumber]))).length > 0
  const set = bindAll(pick(row, isTaken ? table.columns : storedColumns(table)), bindExact)
  const names = set.map(([name]) => quoteName(name)).join(', ')
  const places = set.map(([, { sql }]) => sql).join(', ')
  run(
    connection,
    `INSERT INTO ${nameInSchema(table)} (${names}) VALUES (${places})`,
    set.map(([, { value }]) => value),
  )
}

function run(connection: DatabaseSync, sql: string, values: SqlValue[]): void {
  connection.prepare(sql).run(...values)
}

/** The row number is not compared: a VACUUM may change it. */
function isSameRow(table: Table, row: Columns | undefined, expected: Columns | null): boolean {
  if (row === undefined || expected === null) return row === undefined && expected === null
  return table.columns.every(name => isSameValue(row[name] ?? null, expected[name] ?? null))
}

function bindAll(columns: Columns, bind: (value: SqlValue) => Bound): [string, Bound][] {
  return Object.entries(columns).map(([name, value]) => [name, bind(value)])
}

function keyIn(row: Columns, key: Columns): Columns {
  return { ...key, ...pick(row, Object.keys(key)) }
}

function pick(row: Columns, names: readonly string[]): Columns {
  return Object.fromEntries(names.flatMap(name => (name in row ? [[name, row[name] ?? null]] : [])))
}

function nameRow(key: Columns): string {
  return Object.values(key).map(String).join(', ')
}

/**
 * Call it while no other process can write. Content of the log is not in the database yet, but counts as
 * written.
 */
function lastWrittenNs(path: string): bigint | undefined {
  const times = [path, `${path}-wal`].flatMap(file => {
    const stats = statIfThere(file, 'stat')
    return stats === undefined || stats.size === 0n ? [] : [stats.mtimeNs]
  })
  return times.reduce<bigint | undefined>((last, time) => (last === undefined || time > last ? time : last), undefined)
}

/**
 * Call it after closing the connection. If other processes have the database open, its log still exists and
 * the database itself was not written. If one of them wrote meanwhile, its time stays.
 */
function restoreWrittenTime(path: string, writtenNs: bigint): void {
  if (isInUse(path)) return
  const file = openHandle(path, 'write')
  try {
    setWritten(file, writtenNs)
    if (isInUse(path)) setWritten(file, BigInt(Date.now()) * 1_000_000n)
  } finally {
    closeDescriptor(file.fd)
  }
}

function isInUse(path: string): boolean {
  return ['-wal', '-journal'].some(suffix => statIfThere(path + suffix) !== undefined)
}

function setWritten(file: Handle, writtenNs: bigint): void {
  try {
    files().setTimes(file.fd, statHandle(file).atimeNs, writtenNs)
  } catch (error) {
    // The file belongs to another user and is writable. It is repaired even if its time cannot be restored.
    if (systemCode(error) !== 'EPERM') throw fromWriteError(error, file.path)
  }
}
