// Builds a new database with the schema and every readable row of a damaged one. Opens only a private copy of
// the damaged one.
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { RethreadError } from '../../model/errors.ts'
import { fromWriteError, quote } from '../files/system-errors.ts'
import { copyTables, type RebuildReport } from './copy-tables.ts'
import { databaseIdentity } from './database-files.ts'
import { databaseBusy, fromSqliteWriteError, isCorruption, sqliteCode } from './errors.ts'
import { type DatabaseHeader, readHeader } from './header.ts'
import { makePrivateCopy, type PrivateCopy } from './private-copy.ts'
import { isSchemaObject, readObjects, type SchemaObject } from './schema.ts'

export type { RebuildReport } from './copy-tables.ts'

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
  const before = databaseIdentity(file)
  const copy = makePrivateCopy(file)
  if (databaseIdentity(file) === before) return copy
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
