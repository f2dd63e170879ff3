// Checks the kind of a file before opening it. A link, a pipe or a device is reported and never opened.
import type { BigIntStats } from 'node:fs'
import { readlinkSync } from 'node:fs'
import { RethreadError } from '../../model/errors.ts'
import { chunksOf, closeHandle, type Handle, readRange, statHandle, statIfThere } from './handles.ts'
import { files } from './system-calls.ts'
import { fromSystemError, quote, systemCode } from './system-errors.ts'

export type FileEntry =
  | { type: 'missing' }
  | { type: 'file' | 'folder'; stats: BigIntStats }
  | { type: 'link'; stats: BigIntStats; target: string }
  | { type: 'other'; stats: BigIntStats; kind: 'fifo' | 'socket' | 'device' }

/** Throws where the file may not be read. */
export function entryAt(path: string): FileEntry {
  const stats = statIfThere(path)
  if (stats === undefined) return { type: 'missing' }
  if (stats.isFile()) return { type: 'file', stats }
  if (stats.isDirectory()) return { type: 'folder', stats }
  if (stats.isSymbolicLink()) return { type: 'link', stats, target: readLink(path) }
  return { type: 'other', stats, kind: stats.isFIFO() ? 'fifo' : stats.isSocket() ? 'socket' : 'device' }
}

/** The target of the link, whether or not it exists. */
export function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

export interface PlainFile {
  size: number
  /** Each chunk is valid until the next one is requested. */
  chunks(): Generator<Buffer, void, void>
  /** With `into`, the bytes are read into that buffer if it has room for them. */
  range(start: number, end: number, into?: Buffer): Buffer
  all(): Buffer
}

/**
 * `use` gets the regular file that `stats` was taken from. Throws `busy` where another file has taken its
 * place.
 */
export function withPlainFile<T>(path: string, stats: BigIntStats, use: (file: PlainFile) => T): T {
  const handle = openPlain(path)
  try {
    const now = statHandle(handle)
    if (now.dev !== stats.dev || now.ino !== stats.ino) throw exchanged(path)
    const size = Number(now.size)
    return use({
      size,
      chunks: () => chunksOf(handle, 0, size),
      range: (start, end, into) => readRange(handle, start, end, into),
      all: () => readRange(handle, 0, size),
    })
  } finally {
    closeHandle(handle)
  }
}

/**
 * Opens a regular file, never a link to one. Throws `busy` where something else has taken its place. The
 * caller must close it.
 */
export function openPlain(path: string): Handle {
  try {
    return { fd: files().openPlain(path), path }
  } catch (error) {
    // It was a regular file a moment ago.
    throw ['ELOOP', 'ENXIO', 'ENOENT'].includes(systemCode(error)) ? exchanged(path) : fromSystemError(error, path)
  }
}

function exchanged(path: string): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${path} was replaced while it was being read.`,
    hint: `Another program is writing there. Try again in a moment; see what is there: ls -l ${quote(path)}`,
    path,
  })
}
