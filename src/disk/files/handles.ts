// An open file with its path, so that every error names the file; and the loops around short reads and short
// writes.
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { pace } from './pace.ts'
import { CHUNK_BYTES } from './read.ts'
import { files } from './system-calls.ts'
import { fromSystemError, fromWriteError, systemCode } from './system-errors.ts'

export interface Handle {
  fd: number
  path: string
}

const OPEN = {
  read: (path: string) => files().open(path),
  write: (path: string) => files().openForWriting(path),
  append: (path: string) => files().openForAppending(path),
  create: (path: string) => files().create(path),
}

/** The caller must close it. */
export function openHandle(path: string, how: keyof typeof OPEN): Handle {
  try {
    return { fd: OPEN[how](path), path }
  } catch (error) {
    throw how === 'read' ? fromSystemError(error, path) : fromWriteError(error, path)
  }
}

export function closeHandle(handle: Handle): void {
  files().close(handle.fd)
}

export async function withHandle<T>(
  path: string,
  how: keyof typeof OPEN,
  use: (handle: Handle) => T | Promise<T>,
): Promise<T> {
  const handle = openHandle(path, how)
  try {
    return await use(handle)
  } finally {
    closeHandle(handle)
  }
}

export function statHandle(handle: Handle): BigIntStats {
  try {
    return files().fstat(handle.fd)
  } catch (error) {
    throw fromSystemError(error, handle.path)
  }
}

/** Another program may use the folder by now, so one that is not empty stays. */
export function removeIfEmpty(path: string): void {
  try {
    files().removeFolder(path)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EBUSY'].includes(systemCode(error) ?? ''))
      throw fromWriteError(error, path)
  }
}

/** Undefined where nothing exists. `lstat` does not follow a link, `stat` does. */
export function statIfThere(path: string, how: 'lstat' | 'stat' = 'lstat'): BigIntStats | undefined {
  try {
    return how === 'stat' ? files().statIfThere(path) : files().lstat(path)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw fromSystemError(error, path)
  }
}

/** Returns fewer bytes only at the end of the file. */
export function readAt(handle: Handle, start: number, buffer: Buffer): Buffer {
  let filled = 0
  try {
    while (filled < buffer.length) {
      const got = files().read(handle.fd, buffer.subarray(filled), start + filled)
      if (got === 0) break
      filled += got
    }
  } catch (error) {
    throw fromSystemError(error, handle.path, start + filled)
  }
  return buffer.subarray(0, filled)
}

/** With `into`, the bytes are read into that buffer if it has room for them. */
export function readRange(handle: Handle, start: number, end: number, into?: Buffer): Buffer {
  const length = Math.max(0, end - start)
  const hasRoom = into !== undefined && length <= into.length
  return readAt(handle, start, hasRoom ? into.subarray(0, length) : Buffer.allocUnsafe(length))
}

/**
 * Each chunk is valid until the next one is requested: all share one buffer. Stops early at the end of the
 * file.
 */
export function* chunksOf(
  handle: Handle,
  start: number,
  end: number,
  length = CHUNK_BYTES,
): Generator<Buffer, void, void> {
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, end - start)))
  for (let at = start; at < end; ) {
    const chunk = readAt(handle, at, buffer.subarray(0, Math.min(buffer.length, end - at)))
    if (chunk.length === 0) return
    yield chunk
    at += chunk.length
  }
}

/** `position` null appends to a file that was opened for appending. */
export function writeAll(handle: Handle, bytes: Buffer, position: number | null): void {
  let written = 0
  try {
    while (written < bytes.length) {
      const rest = written === 0 ? bytes : bytes.subarray(written)
      const taken = files().write(handle.fd, rest, position === null ? null : position + written)
      if (taken <= 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' })
      written += taken
    }
  } catch (error) {
    throw fromWriteError(error, handle.path, position === null ? undefined : position + written)
  }
}

export function syncHandle(handle: Handle): void {
  try {
    files().sync(handle.fd)
  } catch (error) {
    throw fromWriteError(error, handle.path)
  }
}

/** The same while this thread does something else. The file must stay open until it has ended. */
export async function syncAside(handle: Handle): Promise<void> {
  try {
    await files().syncAside(handle.fd)
  } catch (error) {
    throw fromWriteError(error, handle.path)
  }
}

/** Copies a range of one file into another. Returns the number of bytes copied. */
export async function copyRange(from: Handle, start: number, end: number, to: Handle, at: number): Promise<number> {
  let copied = 0
  for await (const chunk of pace(chunksOf(from, start, end))) {
    writeAll(to, chunk, at + copied)
    copied += chunk.length
  }
  return copied
}

/** SHA-256 of the first `size` bytes; undefined where the file is shorter. */
export async function hashUpTo(handle: Handle, size: number): Promise<string | undefined> {
  const hash = createHash('sha256')
  let length = 0
  for await (const chunk of pace(chunksOf(handle, 0, size))) {
    hash.update(chunk)
    length += chunk.length
  }
  return length === size ? hash.digest('hex') : undefined
}

/** The first offset in the range at which the files differ; undefined where they are equal. */
export async function findDifference(a: Handle, b: Handle, start: number, end: number): Promise<number | undefined> {
  const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(CHUNK_BYTES, end - start)))
  let at = start
  for await (const chunk of pace(chunksOf(a, start, end))) {
    const other = readAt(b, at, buffer.subarray(0, chunk.length))
    if (!chunk.equals(other)) return at + chunk.findIndex((byte, index) => byte !== other[index])
    at += chunk.length
  }
  return at < end ? at : undefined
}

/** Returns the number of bytes written, 0 where none can be at the moment. The file must be non-blocking. */
export function writeSome(fd: number, bytes: Buffer): number {
  try {
    return files().write(fd, bytes, null)
  } catch (error) {
    if (systemCode(error) === 'EAGAIN') return 0
    throw error
  }
}
