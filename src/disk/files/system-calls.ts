// The system calls that rethread reads and writes with. They are one object, so that a test can wrap it and
// make any of them fail.

import type { BigIntStats, Dirent, Stats } from 'node:fs'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statfsSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { systemCode } from './system-errors.ts'

/**
 * Synchronous on purpose: a `stat` through the thread pool takes ten times as long, and stores hold thousands
 * of files.
 */
export interface Files {
  open(path: string): number
  /** Fails for a link, where that can be asked for. */
  openPlain(path: string): number
  close(fd: number): void
  read(fd: number, buffer: Buffer, position: number): number
  fstat(fd: number): BigIntStats
  fstatNumbers(fd: number): Stats
  stat(path: string): BigIntStats
  /** Undefined where nothing exists: creating an error would take five times as long as the call. */
  statIfThere(path: string): BigIntStats | undefined
  lstat(path: string): BigIntStats
  /** Undefined where it cannot be known. */
  lstatNumbers(path: string): Stats | undefined
  list(path: string): Dirent[]
  realpath(path: string): string
  /** The target of a link, byte for byte. */
  readLink(path: string): Buffer
  /** Bytes available to this user on the file system of `path`. */
  space(path: string): number
  /** The kind of the file system of `path`, as a number of the system. */
  fileSystem(path: string): number

  /** For reading and writing. The file must exist. */
  openForWriting(path: string): number
  /** Every write goes to the end, even with other writers. The file must exist. */
  openForAppending(path: string): number
  /** Creates a new file with mode 0600. Fails if it exists. */
  create(path: string): number
  /** `position` null appends to a file that was opened for appending. */
  write(fd: number, bytes: Buffer, position: number | null): number
  sync(fd: number): void
  /** The same while this thread does something else. */
  syncAside(fd: number): Promise<void>
  truncate(fd: number, size: number): void
  /** Precise to the microsecond, the limit of Node. */
  setTimes(fd: number, accessedNs: bigint, modifiedNs: bigint): void
  /** For a folder, or for a link itself. */
  setTimesOf(path: string, accessedNs: bigint, modifiedNs: bigint): void
  chmod(path: string, mode: number): void
  /** For a link, the link itself. */
  chown(path: string, uid: number, gid: number): void
  /** Shares blocks where the file system can. Fails if `to` exists. */
  copy(from: string, to: string): void
  /** A copy that shares all blocks. Fails where the file system cannot do that, and if `to` exists. */
  clone(from: string, to: string): void
  link(from: string, to: string): void
  /** A symbolic link. Fails if `path` exists. */
  makeLink(target: Buffer, path: string): void
  rename(from: string, to: string): void
  unlink(path: string): void
  /** Also creates the folders above it, with mode 0700. */
  makeFolder(path: string): void
  /** The folder must be empty. */
  removeFolder(path: string): void
  syncFolder(path: string): void
  /** Many at once, which a disk does in a fraction of the time that it needs for one after the other. */
  syncTogether(paths: readonly string[], kind: 'files' | 'folders'): Promise<void>
}

/** Windows cannot. */
export const CAN_REFUSE_LINKS = constants.O_NOFOLLOW !== undefined

export const nodeFiles: Files = {
  // Non-blocking: opening a named pipe would otherwise wait for a writer.
  open: path => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)),
  openPlain: path => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)),
  close: fd => closeSync(fd),
  read: (fd, buffer, position) => readSync(fd, buffer, 0, buffer.length, position),
  fstat: fd => fstatSync(fd, { bigint: true }),
  fstatNumbers: fd => fstatSync(fd),
  stat: path => statSync(path, { bigint: true }),
  statIfThere: path => statSync(path, { bigint: true, throwIfNoEntry: false }),
  lstat: path => lstatSync(path, { bigint: true }),
  lstatNumbers,
  list: path => readdirSync(path, { withFileTypes: true }),
  realpath: path => realpathSync.native(path),
  readLink: path => readlinkSync(path, 'buffer'),
  space: path => {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  },
  fileSystem: path => statfsSync(path).type,

  openForWriting: path => openSync(path, constants.O_RDWR),
  openForAppending: path => openSync(path, constants.O_WRONLY | constants.O_APPEND),
  create: path => openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600),
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  sync: fd => fsyncSync(fd),
  syncAside: fd => new Promise((resolve, reject) => fsync(fd, error => (error === null ? resolve() : reject(error)))),
  truncate: (fd, size) => ftruncateSync(fd, size),
  setTimes: (fd, accessedNs, modifiedNs) => futimesSync(fd, secondsOf(accessedNs), secondsOf(modifiedNs)),
  setTimesOf: (path, accessedNs, modifiedNs) => lutimesSync(path, secondsOf(accessedNs), secondsOf(modifiedNs)),
  chmod: (path, mode) => chmodSync(path, mode),
  chown: (path, uid, gid) => lchownSync(path, uid, gid),
  copy: (from, to) => copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
  clone: (from, to) => copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE),
  link: (from, to) => linkSync(from, to),
  makeLink: (target, path) => symlinkSync(target, path),
  rename: (from, to) => renameSync(from, to),
  unlink: path => unlinkSync(path),
  makeFolder: path => void mkdirSync(path, { recursive: true, mode: 0o700 }),
  removeFolder: path => rmdirSync(path),
  syncFolder,
  async syncTogether(paths, kind) {
    for (let at = 0; at < paths.length; at += MAX_SYNCED_TOGETHER)
      await allOf(paths.slice(at, at + MAX_SYNCED_TOGETHER).map(path => syncOne(path, kind)))
  },
}

/** An object for each call would be garbage ten thousand times. */
const IN_NUMBERS = { bigint: false, throwIfNoEntry: false } as const

function lstatNumbers(path: string): Stats | undefined {
  try {
    return lstatSync(path, IN_NUMBERS)
  } catch {
    return undefined
  }
}

/**
 * Where a folder cannot be opened or synced (Windows, some network shares), its entries are as safe as that
 * system makes them.
 */
const CANNOT_SYNC_FOLDERS = new Set(['EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'EBADF'])

/** Each is an open file. */
const MAX_SYNCED_TOGETHER = 64

async function syncOne(path: string, kind: 'files' | 'folders'): Promise<void> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, kind === 'files' ? constants.O_RDWR : constants.O_RDONLY)
    await handle.sync()
  } catch (error) {
    if (kind === 'files' || !CANNOT_SYNC_FOLDERS.has(systemCode(error))) throw error
  } finally {
    await handle?.close()
  }
}

/** Waits for all of them also where one fails: none may continue in the background. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason
}

function syncFolder(path: string): void {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY)
    fsyncSync(fd)
  } catch (error) {
    if (!CANNOT_SYNC_FOLDERS.has(systemCode(error))) throw error
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/**
 * Node takes times as seconds in a double, which cannot hold nanoseconds. The double is chosen so that the
 * microsecond stays exact. A time that fell into the previous millisecond would change the order of sessions.
 */
export function secondsOf(nanoseconds: bigint): number {
  const nearest = Number(nanoseconds) / 1e9
  const candidates = [nearest, nearest + ulp(nearest), nearest - ulp(nearest)]
  return candidates.find(seconds => storedTime(seconds) / 1000n === nanoseconds / 1000n) ?? nearest
}

/** The time that the system stores: whole seconds, and the rest cut to whole nanoseconds. */
function storedTime(seconds: number): bigint {
  const whole = Math.trunc(seconds)
  return BigInt(whole) * 1_000_000_000n + BigInt(Math.trunc((seconds - whole) * 1e9))
}

/** The distance to the next double. */
function ulp(value: number): number {
  return 2 ** (Math.floor(Math.log2(Math.max(1, Math.abs(value)))) - 52)
}

let current: Files = nodeFiles

export function files(): Files {
  return current
}

/** For tests only: every call goes through `wrapped` until the returned function is called. */
export function injectFiles(wrapped: Files): () => void {
  const before = current
  current = wrapped
  return () => {
    current = before
  }
}
