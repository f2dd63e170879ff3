// One state of a database that several threads read at the same time. One thread opens it; each of the others joins it
// with a connection of its own. Whether they see the same state is asked only in the first one: a descriptor of the
// database that another thread closes would take the locks of all connections of the process.
import { databaseMark } from './database-files.ts'
import type { Database, OpenMode } from './read-database.ts'
import { assertReadableDatabase, beginSnapshot, connect, openMode } from './read-database.ts'

/** The ways to open a database that change nothing and need no copy. */
export type SharedMode = Exclude<OpenMode, 'copy'>

export interface JoinedSnapshot {
  database: Database
  close(): void
}

export interface SharedSnapshot extends JoinedSnapshot {
  mode: SharedMode
  /** Whether it stays as it is while others write. Otherwise it counts only as long as the database is unchanged. */
  isLocked: boolean
  /** If so, every snapshot that was joined up to now is the same as this one. */
  isUnchanged(): boolean
}

/** Undefined if only a copy can be read, or the database is changing. Throws the errors of SQLite. */
export function openSnapshot(path: string, storeRoot: string): SharedSnapshot | undefined {
  assertReadableDatabase(path, storeRoot)
  const mark = databaseMark(path)
  const mode = openMode(path)
  if (mode === 'copy') return undefined
  const joined = joinSnapshot(path, mode)
  const isUnchanged = (): boolean => databaseMark(path) === mark
  let isRight = false
  try {
    isRight = isUnchanged()
    return isRight ? { ...joined, mode, isLocked: mode !== 'immutable=1', isUnchanged } : undefined
  } finally {
    if (!isRight) joined.close()
  }
}

/** In another thread, with the mode of the first one. */
export function joinSnapshot(path: string, mode: SharedMode): JoinedSnapshot {
  const connection = connect(path, mode)
  try {
    beginSnapshot(connection)
  } catch (error) {
    connection.close()
    throw error
  }
  return { database: connection.prepared, close: connection.close }
}
