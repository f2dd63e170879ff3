// Allows one rethread at a time for each session. The lock is an operating system lock, held through an empty
// SQLite database. It disappears with its process, so there are no stale locks.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError } from '../files/system-errors.ts'
import { sqliteCode } from '../sqlite/errors.ts'
import { makeFolder, makePrivate } from '../state/own-files.ts'
import { findHolder } from './open-handles.ts'

const SQLITE_BUSY = 5
/** Referenced, because a garbage-collected connection loses its lock. */
const held = new Set<DatabaseSync>()

export interface Lock {
  release(): void
}

export interface LockSubject {
  agent: string
  sessionId: string
  /** Databases that also hold other sessions. They are locked as well. */
  databases?: readonly string[]
}

/**
 * Throws `locked` where another rethread, or another task of this one, has the lock. The caller must release
 * it.
 */
export function lockSession(state: string, subject: LockSubject): Lock {
  const folder = makeFolder(join(state, 'locks'))
  const keys = [
    `session\n${subject.agent}\n${subject.sessionId}`,
    ...(subject.databases ?? []).map(path => `file\n${realPath(path)}`),
  ]
  const taken: DatabaseSync[] = []
  const release = (): void => {
    for (const lock of taken.splice(0)) unlock(lock)
  }
  try {
    for (const key of new Set(keys)) taken.push(take(join(folder, nameOf(key)), subject))
    return { release }
  } catch (error) {
    release()
    throw error
  }
}

export async function withLock<T>(state: string, subject: LockSubject, work: () => Promise<T>): Promise<T> {
  const lock = lockSession(state, subject)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

function take(path: string, subject: LockSubject): DatabaseSync {
  const database = takeFile(path)
  if (database === undefined) throw locked(path, subject)
  return database
}

/** Undefined where another process, or another task of this one, has the lock. */
export function lockFile(path: string): Lock | undefined {
  const database = takeFile(path)
  return database === undefined ? undefined : { release: () => unlock(database) }
}

/** The process that has a lock; undefined where none has it or this system does not show it. */
export function holderOfLock(path: string): number | undefined {
  const stats = statIfThere(path)
  if (stats === undefined) return undefined
  return findHolder([{ device: String(stats.dev), inode: String(stats.ino) }], { anyHandle: true })?.pid
}

function takeFile(path: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined
  try {
    makePrivate(path)
    database = new DatabaseSync(path, { timeout: 0 })
    held.add(database)
    // The journal is in memory: the file serves only as a lock, and no other file may appear beside it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    if (database !== undefined) unlock(database)
    if (sqliteCode(error) === SQLITE_BUSY) return undefined
    throw notLockable(path, error)
  }
}

/** A database may have several paths. A missing one is identified by its path. */
function realPath(path: string): string {
  return statIfThere(path, 'stat') === undefined ? path : files().realpath(path)
}

function unlock(database: DatabaseSync): void {
  held.delete(database)
  database.close()
}

function nameOf(key: string): string {
  return `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.lock`
}

function locked(path: string, subject: LockSubject): RethreadError {
  const pid = holderOfLock(path)
  return new RethreadError({
    code: 'locked',
    text: `Another rethread${pid === undefined ? '' : ` (process ${pid})`} is changing session ${subject.sessionId}.`,
    hint: pid === undefined ? 'Wait for it, then try again.' : `Wait for it, or see what it does: ps -fp ${pid}`,
    path,
  })
}

function notLockable(path: string, cause: unknown): RethreadError {
  if (sqliteCode(cause) === undefined) return fromWriteError(cause, path)
  return new RethreadError({
    code: 'io-error',
    text: `${path} could not be locked: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Check that rethread may write to its own folder, or choose another: rethread --state DIR',
    path,
    cause,
  })
}
