// Builds a new database with the schema and every readable row of a damaged one. Opens only a private copy of
// the damaged one.
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { RethreadError } from '../../model/errors.ts'
import { fromWriteError, quote } from '../files/system-errors.ts'
import { databaseMark, makePrivateCopy, type PrivateCopy } from './database-files.ts'
import { databaseBusy, fromSqliteWriteError, isCorruption, sqliteCode } from './errors.ts'
import { type DatabaseHeader, readHeader } from './header.ts'
import { type SalvagedRows, salvageTable } from './salvage.ts'
import { createObjects, createTables, isSchemaObject, readObjects, type SchemaObject } from './schema.ts'
import { describeTable } from './tables.ts'

/**
 * `into` must not exist yet, and does not exist after a failure. `fills` are statements of rethread that run
 * on the copied rows: statements that insert rows only where some were lost, the others always. They see the
 * damaged database as `old`. A statement that fails is reported and changes nothing.
 */
export function rebuildDatabase(file: string, into: string, fills: readonly string[] = []): RebuildReport {
  const copy = copyUnchanged(file)
  try {
    const header = readHeader(copy.path, file)
    createEmpty(into)
    try {
      const report = fillFile(copy, into, header, fills, file)
      if (report.tables.every(({ copied }) => copied === 0)) throw nothingLeft(file)
      sync(into)
      return report
    } catch (error) {
      for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(into + suffix, { force: true })
      throw sqliteCode(error) === undefined ? error : fromSqliteWriteError(error, into, 0)
    }
  } finally {
    copy.remove()
  }
}

/** A copy taken during a write could mix two states. */
function copyUnchanged(file: string): PrivateCopy {
  const before = databaseMark(file)
  const copy = makePrivateCopy(file)
  if (databaseMark(file) === before) return copy
  copy.remove()
  throw databaseBusy(file, 0, undefined)
}

function fillFile(
  old: PrivateCopy,
  into: string,
  header: DatabaseHeader,
  fills: readonly string[],
  shownPath: string,
): RebuildReport {
  const connection = new DatabaseSync(into, {
    enableForeignKeyConstraints: false,
    enableDoubleQuotedStringLiterals: true,
    // A damaged schema is read as far as possible, and a virtual table is entered by hand.
    defensive: false,
  })
  try {
    connection.exec('PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON; PRAGMA ignore_check_constraints = ON')
    // An unfinished file is useless anyway. A rollback covers one statement at most.
    connection.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF')
    connection.exec(`PRAGMA page_size = ${header.pageBytes}; PRAGMA encoding = '${header.encoding}'`)
    connection.prepare('ATTACH ? AS old').run(old.path)
    copyPragma(connection, 'auto_vacuum')
    const schema = readSchema(connection, shownPath)
    // Not in one transaction: once SQLite has met damage in a transaction, it writes nothing more.
    const report = copyTables(connection, schema, fills)
    for (const name of ['user_version', 'application_id']) copyPragma(connection, name)
    connection.exec('PRAGMA writable_schema = OFF; DETACH old')
    assertSound(connection, into)
    if (header.isWriteAheadLogged) connection.exec('PRAGMA main.journal_mode = WAL')
    return report
  } finally {
    connection.close()
  }
}

function copyPragma(connection: DatabaseSync, name: string): void {
  const value = connection.prepare(`PRAGMA old.${name}`).get()?.[name]
  connection.exec(`PRAGMA main.${name} = ${Number(value)}`)
}

function readSchema(connection: DatabaseSync, shownPath: string): SchemaObject[] {
  try {
    const objects = readObjects(connection, 'old')
    const odd = objects.find(object => !isSchemaObject(object))
    if (odd !== undefined) throw unreadable(shownPath, `it lists a thing that is a ${odd.type}`)
    return objects
  } catch (error) {
    throw isCorruption(error) && error instanceof Error ? unreadable(shownPath, error.message, error) : error
  }
}

function assertSound(connection: DatabaseSync, path: string): void {
  const [first] = connection.prepare('PRAGMA main.integrity_check(1)').all()
  if (first?.['integrity_check'] === 'ok') return
  throw new RethreadError({
    code: 'repair-failed',
    text: `The new database is not valid: ${String(first?.['integrity_check'])}.`,
    hint: 'Nothing was changed. Please report this.',
    path,
  })
}

function createEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function sync(path: string): void {
  try {
    const fd = openSync(path, 'r+')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function unreadable(path: string, why: string, cause?: Error): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: `The list of tables in ${path} cannot be read, and without it no row can be: ${why}.`,
    hint: `Look for an older copy of it. What SQLite can still find in its pages: sqlite3 ${quote(path)} .recover`,
    path,
    cause,
  })
}

function nothingLeft(path: string): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: `No row of any table in ${path} can be read.`,
    hint: `Look for an older copy of it. What SQLite can still find in its pages: sqlite3 ${quote(path)} .recover`,
    path,
  })
}

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

/**
 * Copies all tables of the database attached as `old` into the new one, and fills gaps from the copied
 * rows.
 */
function copyTables(connection: DatabaseSync, schema: SchemaObject[], fills: readonly string[]): RebuildReport {
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
