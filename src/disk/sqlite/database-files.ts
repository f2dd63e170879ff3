// The files that form one database, without opening it in SQLite: which mode it is in, and whether it
// changed. A process that closes any descriptor of a file loses all its POSIX locks on that file, including
// those of its open SQLite connections. So while there are connections, descriptors opened here are closed
// only after the last of them.
import { closeSync, openSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CHUNK_BYTES, identityOf, statPath } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromSystemError, systemCode } from '../files/system-errors.ts'
import { makePrivateFolder } from '../state/private-folder.ts'

let connections = 0
const held = new Map<string, number>()

/**
 * Must be called before opening a connection that takes locks. The returned function must be called after
 * closing it.
 */
export function holdDescriptors(): () => void {
  connections++
  return () => {
    connections--
    if (connections > 0) return
    for (const fd of held.values()) files().close(fd)
    held.clear()
  }
}

/** While there are connections, a database file must be closed only through `closeDescriptor`. */
export function hasConnections(): boolean {
  return connections > 0
}

/** Closes a descriptor of a database file as soon as no connection would lose its locks. */
export function closeDescriptor(fd: number): void {
  if (connections > 0) held.set(`closed:${fd}`, fd)
  else files().close(fd)
}

function withDescriptor<T>(path: string, use: (fd: number) => T): T {
  const { dev, ino } = files().stat(path)
  // By inode, so that a replaced file is opened again.
  const key = `${dev}:${ino}:${path}`
  const known = held.get(key)
  if (known !== undefined) return use(known)
  const fd = files().open(path)
  try {
    return use(fd)
  } finally {
    if (connections > 0) held.set(key, fd)
    else files().close(fd)
  }
}

/**
 * Changes with every commit, unlike the modification time: a commit into the log does not touch the main
 * file. A repair restores the modification time, so the inode's change time counts as well.
 */
export function databaseMark(path: string): string {
  const main = statPath(path)
  return `${main.dev}:${main.ino}:${main.size}:${main.mtimeNs}:${main.ctimeNs}:${head(path, 24, 28)}:${logIdentity(path)}`
}

/**
 * Opens nothing, so it may be called while another thread writes the database. Several commits in one tick of the file
 * system's clock may share it.
 */
export function roughDatabaseMark(path: string): string {
  return [path, `${path}-wal`, `${path}-journal`].map(markOf).join(' ')
}

function markOf(path: string): string {
  const stats = ifStillThere(path, () => files().statIfThere(path))
  return stats === undefined ? 'none' : identityOf(stats).mark
}

/**
 * A log that was restarted keeps its length and, from the second commit on, its salts. So its time counts as
 * well. Several commits may share one tick of the file system's clock, so the last commit in the log's index
 * counts, too.
 */
function logIdentity(path: string): string {
  const log = ifStillThere(`${path}-wal`, () => files().statIfThere(`${path}-wal`))
  if (log === undefined || log.size === 0n) return 'no-log'
  const salts = ifStillThere(`${path}-wal`, () => head(`${path}-wal`, 12, 24))
  const lastCommit = ifStillThere(`${path}-shm`, () => head(`${path}-shm`, 0, 48))
  return `${log.size}:${log.mtimeNs}:${salts}:${lastCommit}`
}

/** Byte 18 of the header is 2 for a write-ahead log. */
export function isWriteAheadLogged(path: string): boolean {
  return head(path, 18, 19) === '02'
}

/** Undefined where the file does not exist. */
export function fileSize(path: string): number | undefined {
  const stats = ifStillThere(path, () => files().statIfThere(path))
  return stats === undefined ? undefined : Number(stats.size)
}

/** Throws where the file may not be read, before SQLite reports a less specific error. */
export function assertReadable(path: string): void {
  head(path, 0, 0)
}

/** Copies a file if it exists. */
export function copyIfThere(path: string, copy: string): void {
  ifStillThere(path, () =>
    withDescriptor(path, fd => {
      const to = openSync(copy, 'wx', 0o600)
      try {
        copyBytes(fd, to)
      } finally {
        closeSync(to)
      }
    }),
  )
}

function copyBytes(from: number, to: number): void {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let at = 0; ; ) {
    const got = files().read(from, buffer, at)
    if (got === 0) return
    for (let written = 0; written < got; ) written += writeSync(to, buffer, written, got - written)
    at += got
  }
}

function head(path: string, start: number, end: number): string {
  try {
    return withDescriptor(path, fd => {
      const buffer = Buffer.alloc(end)
      const got = end === 0 ? 0 : files().read(fd, buffer, 0)
      return buffer.subarray(start, Math.max(start, got)).toString('hex')
    })
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

/** A closing writer removes its log at any moment, also between a check and the opening. */
function ifStillThere<T>(path: string, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    if (systemCode(cause) === 'ENOENT') return undefined
    throw fromSystemError(error, path)
  }
}

export interface PrivateCopy {
  path: string
  remove(): void
}

/**
 * A copy of a database in a private folder, for steps that must not affect the original, such as recovering
 * an unfinished log. Includes the log and the journal, which SQLite needs to see what was committed. The
 * caller must remove it.
 */
export function makePrivateCopy(path: string): PrivateCopy {
  const { folder, remove } = makePrivateFolder()
  try {
    const copy = join(folder, basename(path))
    for (const suffix of ['', '-wal', '-journal']) copyIfThere(path + suffix, copy + suffix)
    return { path: copy, remove }
  } catch (error) {
    remove()
    throw fromSystemError(error, systemCode(error) === 'ENOSPC' ? folder : path)
  }
}
