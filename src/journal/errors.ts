// What the journal itself refuses, and what of an error is whose.
import { quote } from '../disk/errors.ts'
import { isRefusedRow } from '../disk/sqlite-errors.ts'
import { type ErrorCode, RethreadError } from '../model/errors.ts'

/** These are about the disk or the whole file: nothing else that is waiting would fare better. */
const OF_ALL: ReadonlySet<ErrorCode> = new Set(['no-space', 'database-busy', 'permission-denied', 'io-error'])

export function concernsAll(error: unknown): boolean {
  return error instanceof RethreadError && OF_ALL.has(error.code)
}

export function isCorrupt(error: unknown): boolean {
  return error instanceof RethreadError && error.code === 'database-corrupt'
}

export function isTaken(error: unknown): boolean {
  return error instanceof RethreadError && isRefusedRow(error.cause)
}

export function sessionNotFound(path: string, id: string): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `There is no session ${id} in the journal ${path}.`,
    hint: 'What a journal does not hold cannot be restored. If the file was removed or replaced, put it back and try again.',
    path,
  })
}

export function damagedRow(path: string, what: string, cause?: unknown): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: `${what} in the journal ${path} is damaged. Other sessions are not affected.`,
    hint: `Keep a copy before anything else: cp ${quote(path)}* /some/other/disk/. Then see what can be read: sqlite3 ${quote(path)} .recover`,
    path,
    ...(cause === undefined ? {} : { cause }),
  })
}

export function wrongUse(text: string): RethreadError {
  return new RethreadError({
    code: 'usage',
    text,
    hint: 'This is a fault in whoever called the journal; nothing was written.',
  })
}

export function overloaded(path: string): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `More is to be written to ${path} than the disk takes in.`,
    hint: `Nothing of this envelope was written. See how busy the disk is: vmstat 1 5`,
    path,
  })
}

export function closed(path: string): RethreadError {
  return new RethreadError({
    code: 'stopped',
    text: `The journal ${path} is closed.`,
    hint: 'rethread is ending. Start it again.',
    path,
  })
}
