// Turns SQLite errors into errors of rethread.
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { quote } from '../files/system-errors.ts'

const SQLITE_ERROR = 1
const SQLITE_PERM = 3
const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_READONLY = 8
const SQLITE_CORRUPT = 11
export const SQLITE_FULL = 13
export const SQLITE_CANTOPEN = 14
const SQLITE_PROTOCOL = 15
const SQLITE_TOOBIG = 18
const SQLITE_CONSTRAINT = 19
const SQLITE_MISMATCH = 20
const SQLITE_AUTH = 23
const SQLITE_NOTADB = 26
const SQLITE_IOERR_SHORT_READ = 522

/** Errors that a concurrent writer causes. They pass after a moment. */
const PASSING = new Set([SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PROTOCOL])

export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

export function isPassing(error: unknown): boolean {
  const code = sqliteCode(error)
  return code !== undefined && PASSING.has(code)
}

/** Another process holds a lock, and there is no other problem. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE_BUSY || code === SQLITE_LOCKED || code === SQLITE_PROTOCOL
}

/** A journal that must be rolled back, which a reader must not do. */
export function asksForRollback(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE_READONLY || code === SQLITE_CANTOPEN
}

export function isCorruption(error: unknown): boolean {
  const code = sqliteCode(error)
  // The file ends in the middle of a page: it was cut; the disk is not failing.
  const isCut = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_IOERR_SHORT_READ
  // A header with an unknown version has no error code of its own.
  const isOdd = code === SQLITE_ERROR && error instanceof Error && error.message === 'unsupported file format'
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB || isCut || isOdd
}

/** A row that violates a rule of its table. */
export function isRefusedRow(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE_CONSTRAINT || code === SQLITE_MISMATCH || code === SQLITE_TOOBIG
}

/** Returns errors of other origin unchanged. */
export function fromSqliteError(error: unknown, path: string): unknown {
  const code = sqliteCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  if (isCorruption(error)) return corrupt(path, error)
  // Every other mistake in a statement is a bug of rethread and says nothing about the database.
  if (code === SQLITE_ERROR) return /^no such (?:table|column)/.test(error.message) ? unknownShape(path, error) : error
  return new RethreadError({
    code: 'io-error',
    text: `Reading ${path} failed: ${error.message}.`,
    hint: `The disk or the network it is on may be failing. Copy the database elsewhere before anything else: cp ${quote(path)}* /some/other/disk/`,
    path,
    cause: error,
  })
}

export function databaseBusy(path: string, waitedMs: number, cause: unknown): RethreadError {
  const lasting = waitedMs <= 0 ? '' : ` and stayed so for ${waitedMs / 1000} seconds`
  return new RethreadError({
    code: 'database-busy',
    text: `${path} is in use by another program${lasting}.`,
    hint: `See who holds it: fuser -v ${quote(path)}`,
    path,
    cause,
  })
}

/**
 * The same for writing. Errors of other origin, such as one that a caller throws to stop, are returned
 * unchanged.
 */
export function fromSqliteWriteError(error: unknown, path: string, waitedMs: number): unknown {
  const code = sqliteCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  if (isBusy(error)) return databaseBusy(path, waitedMs, error)
  if (code === SQLITE_FULL) return notWritten(path, 'no-space', error, `See how full the disk is: df -h ${quote(path)}`)
  if (code === SQLITE_READONLY || code === SQLITE_CANTOPEN || code === SQLITE_PERM || code === SQLITE_AUTH)
    return notWritten(path, 'permission-denied', error, `See who may write: ls -l ${quote(path)}*`)
  return fromSqliteError(error, path)
}

function notWritten(path: string, code: ErrorCode, cause: Error, hint: string): RethreadError {
  return new RethreadError({ code, text: `${path} could not be written: ${cause.message}.`, hint, path, cause })
}

export function rowConflict(path: string, table: string, row: string): RethreadError {
  return new RethreadError({
    code: 'undo-conflict',
    text: `Row ${row} of table ${table} in ${path} has been changed since the repair, so undoing the repair would lose that change.`,
    hint: 'Nothing was changed. See what the repair did: rethread repairs',
    path,
  })
}

export function unsupportedEncoding(path: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} keeps its text as UTF-16, which rethread does not write.`,
    hint: `See for yourself: sqlite3 -readonly ${quote(path)} 'PRAGMA encoding'`,
    path,
  })
}

function corrupt(path: string, cause: Error): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: `${path} is damaged: ${cause.message}.`,
    hint: `Close the agent, keep a copy (cp ${quote(path)}* /some/folder/), then see what can be read: sqlite3 ${quote(path)} .recover`,
    path,
    cause,
  })
}

/**
 * A requested table or column is missing: a flipped bit in the schema, or an unknown version of the agent.
 */
function unknownShape(path: string, cause: Error): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `${path} does not have the tables it should have: ${cause.message}.`,
    hint: `See which it has: sqlite3 -readonly ${quote(path)} .schema`,
    path,
    cause,
  })
}
