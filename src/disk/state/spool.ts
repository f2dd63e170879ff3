// Files with content read from a session while a client views it. Each server has its own folder, and a lock
// beside it for as long as it lives. So the folders of dead servers can be recognised and removed.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { RethreadError } from '../../model/errors.ts'
import { closeHandle, openHandle, readRange, writeAll } from '../files/handles.ts'
import { listFolder } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError } from '../files/system-errors.ts'
import { sqliteCode } from '../sqlite/errors.ts'
import { removeIfThere, removeTree } from './own-files.ts'
import { stateFolder } from './state.ts'

const FOLDER = 'spool'
const LOCK = '.lock'
/**
 * Held while a server removes left-overs and creates its own folder, so that no other server sees a folder
 * without its lock.
 */
const STARTING = `starting${LOCK}`
const STARTING_WAIT_MS = 5000
const SQLITE_BUSY = 5

export interface Spool {
  folder: string
  newFile(): SpoolFile
  /** Removes everything in it. */
  close(): void
}

/** The caller creates and removes it; a thread may write to its path meanwhile. */
export interface SpoolFile {
  path: string
  /** Returns fewer bytes where the file is shorter. */
  read(start: number, length: number): Buffer
  remove(): void
}

export function openSpool(state: string): Spool {
  const root = stateFolder(state, FOLDER)
  const starting = takeLock(join(root, STARTING), STARTING_WAIT_MS)
  if (starting === undefined) throw notFree(root)
  try {
    removeLeftOvers(root)
    const name = randomUUID()
    const lock = takeLock(join(root, name + LOCK), 0)
    if (lock === undefined) throw notFree(root)
    return makeSpool(stateFolder(state, FOLDER, name), lock)
  } finally {
    starting.close()
  }
}

function makeSpool(folder: string, lock: DatabaseSync): Spool {
  let made = 0
  return {
    folder,
    newFile: () => makeFile(join(folder, String(made++))),
    close() {
      removeTree(folder)
      lock.close()
      removeIfThere(folder + LOCK)
    },
  }
}

function makeFile(path: string): SpoolFile {
  const handle = openHandle(path, 'create')
  let isOpen = true
  return {
    path,
    read: (start, length) => readRange(handle, start, start + length),
    remove() {
      // A descriptor that is closed twice may belong to another file by then.
      if (isOpen) closeHandle(handle)
      isOpen = false
      removeIfThere(path)
    },
  }
}

/** Writes the bytes to a file of this name in a new folder below `folder`, for the duration of `use`. */
export async function withSpooledCopy<T>(
  folder: string,
  name: string,
  bytes: Buffer,
  use: (path: string, root: string) => Promise<T>,
): Promise<T> {
  const root = join(folder, randomUUID())
  try {
    files().makeFolder(root)
    const handle = openHandle(join(root, name), 'create')
    try {
      writeAll(handle, bytes, 0)
    } finally {
      closeHandle(handle)
    }
    return await use(join(root, name), root)
  } finally {
    removeTree(root)
  }
}

/** Removes folders whose lock is free. */
function removeLeftOvers(root: string): void {
  const names = new Set(listFolder(root).map(({ name }) => (name.endsWith(LOCK) ? name.slice(0, -LOCK.length) : name)))
  names.delete(STARTING.slice(0, -LOCK.length))
  for (const name of names) {
    const lock = takeLock(join(root, name + LOCK), 0)
    if (lock === undefined) continue
    removeTree(join(root, name))
    lock.close()
    removeIfThere(join(root, name + LOCK))
  }
}

/**
 * An operating system lock that disappears with its process. Undefined where another process has it. The
 * caller must keep and close it.
 */
function takeLock(path: string, waitMs: number): DatabaseSync | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: waitMs })
    // The journal is in memory: the file serves only as a lock, and no other file may appear beside it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    files().chmod(path, 0o600)
    return database
  } catch (error) {
    database?.close()
    if (sqliteCode(error) === SQLITE_BUSY) return undefined
    throw fromWriteError(error, path)
  }
}

function notFree(path: string): RethreadError {
  return new RethreadError({
    code: 'locked',
    text: `Another rethread is starting and uses ${path}.`,
    hint: 'Try again in a moment.',
    path,
  })
}
