// A name is looked at before anything is opened: a link, a pipe or a device is told, and never opened.
import type { BigIntStats } from 'node:fs'
import { readlinkSync } from 'node:fs'
import { RethreadError } from '../../model/errors.ts'
import { chunksOf, closeHandle, type Handle, readRange, statHandle, statIfThere } from './handles.ts'
import { files } from './system-calls.ts'
import { fromSystemError, quote, systemCode } from './system-errors.ts'

export type Looked =
  | { type: 'missing' }
  | { type: 'file' | 'folder'; stats: BigIntStats }
  | { type: 'link'; stats: BigIntStats; target: string }
  | { type: 'other'; stats: BigIntStats; kind: 'fifo' | 'socket' | 'device' }

/** Throws where it may not be looked at. */
export function lookAt(path: string): Looked {
  const stats = statIfThere(path)
  if (stats === undefined) return { type: 'missing' }
  if (stats.isFile()) return { type: 'file', stats }
  if (stats.isDirectory()) return { type: 'folder', stats }
  if (stats.isSymbolicLink()) return { type: 'link', stats, target: readLink(path) }
  return { type: 'other', stats, kind: stats.isFIFO() ? 'fifo' : stats.isSocket() ? 'socket' : 'device' }
}

/** What stands in the link, whether or not anything is there. */
export function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

export interface PlainFile {
  size: number
  /** Each is good until the next is asked for. */
  chunks(): Generator<Buffer, void, void>
  all(): Buffer
}

/** `use` gets the regular file that `stats` was taken from; where another has taken its place meanwhile, `busy` is thrown. */
export function withPlainFile<T>(path: string, stats: BigIntStats, use: (file: PlainFile) => T): T {
  const handle = openPlain(path)
  try {
    const now = statHandle(handle)
    if (now.dev !== stats.dev || now.ino !== stats.ino) throw exchanged(path)
    const size = Number(now.size)
    return use({ size, chunks: () => chunksOf(handle, 0, size), all: () => readRange(handle, 0, size) })
  } finally {
    closeHandle(handle)
  }
}

/** A regular file, and no link to one: throws `busy` for what has taken its place. Whoever opens it closes it. */
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
