// Reads files of other programs: never through a link out of the store, never more than requested.

import type { BigIntStats } from 'node:fs'
import { sep } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { files } from './system-calls.ts'
import { fromSystemError, quote, systemCode } from './system-errors.ts'

/**
 * Large enough that system calls do not count. Small enough for the processor cache, and to leave little
 * garbage when thousands of small sessions are read.
 */
export const CHUNK_BYTES = 256 * 1024

export interface FileIdentity {
  device: string
  inode: string
  size: number
  mtimeMs: number
  /** All fields as one string. Equal as long as the file is unchanged. */
  key: string
  /**
   * The key with the inode's change time, which programs cannot set. It reveals an edit in place that
   * restored the modification time.
   */
  mark: string
}

export interface OpenFile {
  path: string
  identity: FileIdentity
  /**
   * The bytes from `start` up to the size at the time of opening. Bytes appended later are left for the next
   * reading. With `into`, each chunk is read into the same buffer and is valid only until the next one. A
   * caller that stores none then leaves no garbage.
   */
  chunks(start?: number, end?: number, into?: Buffer): Generator<Buffer, void, void>
  /** With `into`, the bytes are read into that buffer if it has room for them. */
  range(start: number, end: number, into?: Buffer): Buffer
  /** `use` gets the first chunk of the file when it is read, before the caller of `chunks`. Nothing is read for it. */
  onFirstChunk(use: (chunk: Buffer) => void): void
  close(): void
}

export function identityOf(stats: BigIntStats): FileIdentity {
  const device = String(stats.dev)
  const inode = String(stats.ino)
  const size = Number(stats.size)
  const key = `${device}:${inode}:${size}:${stats.mtimeNs}`
  return { device, inode, size, mtimeMs: Number(stats.mtimeMs), key, mark: `${key}:${stats.ctimeNs}` }
}

/** Opens a regular file inside `storeRoot`. The caller must close it. */
export function openFile(path: string, storeRoot: string): OpenFile {
  assertInside(path, storeRoot)
  let fd: number
  try {
    fd = files().open(path)
  } catch (error) {
    throw fromSystemError(error, path)
  }
  try {
    const stats = files().fstat(fd)
    if (stats.isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' })
    if (!stats.isFile()) throw notRegular(path)
    return makeOpenFile(fd, path, identityOf(stats))
  } catch (error) {
    files().close(fd)
    throw fromSystemError(error, path)
  }
}

/** Reads until the buffer is full or the file ends. */
export function fill(fd: number, path: string, start: number, buffer: Buffer): Buffer {
  let filled = 0
  while (filled < buffer.length) {
    const got = readAt(fd, path, filled === 0 ? buffer : buffer.subarray(filled), start + filled)
    if (got === 0) break
    filled += got
  }
  return filled === buffer.length ? buffer : buffer.subarray(0, filled)
}

function readAt(fd: number, path: string, buffer: Buffer, position: number): number {
  try {
    return files().read(fd, buffer, position)
  } catch (error) {
    throw fromSystemError(error, path, position)
  }
}

/** `identity` is that of the open descriptor, which the result closes. */
export function makeOpenFile(fd: number, path: string, identity: FileIdentity): OpenFile {
  let isOpen = true
  let useFirst: ((chunk: Buffer) => void) | undefined
  const range = (start: number, end: number, into?: Buffer): Buffer => {
    const length = Math.max(0, end - start)
    return fill(
      fd,
      path,
      start,
      into !== undefined && length <= into.length ? into.subarray(0, length) : Buffer.allocUnsafe(length),
    )
  }
  return {
    path,
    identity,
    range,
    *chunks(start = 0, end = identity.size, into) {
      for (let at = start; at < end; ) {
        const chunk = fill(
          fd,
          path,
          at,
          into?.subarray(0, end - at) ?? Buffer.allocUnsafe(Math.min(end - at, CHUNK_BYTES)),
        )
        if (chunk.length === 0) return
        if (at === 0) useFirst?.(chunk)
        yield chunk
        at += chunk.length
      }
    },
    onFirstChunk(use) {
      useFirst = use
    },
    close() {
      // A descriptor that is closed twice may belong to another file by then.
      if (isOpen) files().close(fd)
      isOpen = false
    },
  }
}

/** Reads a whole file that is known to be small, such as a header or an index beside the log. */
export function readSmallFile(path: string, storeRoot: string, limitBytes = 16 * 1024 * 1024): Buffer {
  const file = openFile(path, storeRoot)
  try {
    assertSmall(path, file.identity.size, limitBytes)
    return file.range(0, file.identity.size)
  } finally {
    file.close()
  }
}

export function assertSmall(path: string, size: number, limitBytes: number): void {
  if (size <= limitBytes) return
  throw new RethreadError({
    code: 'not-a-session',
    text: `${path} is ${size} bytes long; no more than ${limitBytes} were expected.`,
    hint: `See what it is: file ${quote(path)}`,
    path,
  })
}

/** Like `readSmallFile`, but returns undefined for a missing file. Every other error is thrown. */
export function readOptionalFile(path: string, storeRoot: string, limitBytes?: number): Buffer | undefined {
  try {
    return readSmallFile(path, storeRoot, limitBytes)
  } catch (error) {
    if (error instanceof RethreadError && error.code === 'not-found') return undefined
    throw error
  }
}

/** Rejects a path whose links lead out of the store: a hostile link must not expose other files. */
export function assertInside(path: string, storeRoot: string): void {
  let real: string
  let root: string
  try {
    real = files().realpath(path)
    // A folder on a path without links is without links itself.
    if (real.startsWith(storeRoot + sep)) return
    root = files().realpath(storeRoot)
  } catch (error) {
    throw fromSystemError(error, path)
  }
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return
  throw new RethreadError({
    code: 'outside-store',
    text: `${path} is a link to ${real}, outside the store. It was not followed.`,
    hint: `If that is intended, name the file itself: rethread show ${quote(real)}`,
    path,
  })
}

export interface FolderEntry {
  name: string
  path: string
  isFolder: boolean
  /** The kind of the target is unknown. */
  isLink: boolean
}

/** The entries of a folder, sorted by name. A missing folder has none; every other failure is thrown. */
export function listFolder(path: string): FolderEntry[] {
  try {
    // Many possible folders do not exist, and a stat is cheaper than an error.
    return files().statIfThere(path) === undefined ? [] : listKnownFolder(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw fromSystemError(error, path)
  }
}

/** The same for a folder that existed a moment ago. */
export function listKnownFolder(path: string): FolderEntry[] {
  try {
    return files()
      .list(path)
      .map(entry => ({
        name: entry.name,
        path: join(path, entry.name),
        isFolder: entry.isDirectory(),
        isLink: entry.isSymbolicLink(),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw fromSystemError(error, path)
  }
}

/** The names in a folder by what they are. A missing folder has none; every other failure is thrown. */
export function listNames(path: string): { files: string[]; folders: string[]; links: string[] } {
  const listed: ReturnType<typeof listNames> = { files: [], folders: [], links: [] }
  try {
    if (files().statIfThere(path) === undefined) return listed
    for (const entry of files().list(path)) {
      const kind = entry.isDirectory() ? listed.folders : entry.isSymbolicLink() ? listed.links : listed.files
      kind.push(entry.name)
    }
    return listed
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { files: [], folders: [], links: [] }
    throw fromSystemError(error, path)
  }
}

function join(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name
}

export function statPath(path: string): BigIntStats {
  try {
    return files().stat(path)
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

/** Follows all links. */
export function realPath(path: string): string {
  try {
    return files().realpath(path)
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

/** Whether something exists. A permission error is thrown, as it does not mean "missing". */
export function exists(path: string): boolean {
  try {
    return files().statIfThere(path) !== undefined
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw fromSystemError(error, path)
  }
}

function notRegular(path: string): RethreadError {
  return new RethreadError({
    code: 'not-a-regular-file',
    text: `${path} is not a regular file (a pipe, a device or a socket).`,
    hint: `See what it is: ls -l ${quote(path)}`,
    path,
  })
}
