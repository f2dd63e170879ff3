// A cache of files, each derived from a file of another program. They are replaced as a whole and found by a
// key. The oldest are removed when they take too much space.
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '../../model/columns.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { OpenFile } from '../files/read.ts'
import { openFile } from '../files/read.ts'
import { fromSystemError } from '../files/system-errors.ts'
import { pruneFolder, stateFolder } from './state.ts'

export interface CacheFolder {
  /** A folder of the state folder. */
  folder: string
  /** The limit for all files together. The oldest are removed first. */
  maxTotalBytes: number
}

/**
 * A scan of all files after each write would make the first check of many sessions slow. It runs again when
 * this share of the limit was written.
 */
const PRUNED_SHARE = 1 / 8
/** Bytes written since the last pruning, by folder. */
const unpruned = new Map<string, number>()

/**
 * Every failure is a `RethreadError`, so that the caller can continue without the cache. The file is not
 * synced: its reader must detect a damaged one.
 */
export function writeCacheFile(
  state: string,
  { folder, maxTotalBytes }: CacheFolder,
  key: string,
  pieces: Iterable<Uint8Array>,
): void {
  const path = fileOf(stateFolder(state, folder), key)
  // Several processes and threads may write the same entry at once.
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`
  try {
    const written = writePieces(temporary, pieces)
    renameSync(temporary, path)
    pruneSometimes(join(state, folder), maxTotalBytes, written)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fromSystemError(error, path)
  }
}

function pruneSometimes(folder: string, maxTotalBytes: number, written: number): void {
  const bytes = (unpruned.get(folder) ?? maxTotalBytes) + written
  const isDue = bytes > maxTotalBytes * PRUNED_SHARE
  unpruned.set(folder, isDue ? 0 : bytes)
  if (isDue) pruneFolder(folder, maxTotalBytes)
}

function writePieces(path: string, pieces: Iterable<Uint8Array>): number {
  let total = 0
  const fd = openSync(path, 'w', 0o600)
  try {
    for (const piece of pieces) {
      for (let written = 0; written < piece.length; ) written += writeSync(fd, piece, written, piece.length - written)
      total += piece.length
    }
    return total
  } finally {
    closeSync(fd)
  }
}

/** Undefined where there is no entry. The caller must close it. */
export function openCacheFile(state: string, { folder }: CacheFolder, key: string): OpenFile | undefined {
  const path = join(state, folder)
  try {
    return openFile(fileOf(path, key), path)
  } catch (error) {
    if (hasErrorCode(error, 'not-found')) return undefined
    throw error
  }
}

/** Does nothing if there is no entry. */
export function removeCacheFile(state: string, { folder }: CacheFolder, key: string): void {
  const path = fileOf(join(state, folder), key)
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

/** Of a key that collides with another, the entry is replaced. */
function fileOf(folder: string, key: string): string {
  const words = [0, 1].flatMap(seed => Object.values(hashOf(key, { a: seed, b: seed })))
  return join(folder, words.map(word => (word >>> 0).toString(16).padStart(8, '0')).join(''))
}
