// A folder with everything in it, at one moment. Only files, folders and links are allowed, because they can
// be copied without loss.
import type { BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { removeTree } from '../state/own-files.ts'
import { statIfThere } from './handles.ts'
import { files } from './system-calls.ts'
import { fromSystemError, fromWriteError, quote } from './system-errors.ts'

export interface TreeEntry {
  /** Relative to the folder itself, whose name is empty. */
  name: string
  kind: 'folder' | 'file' | 'link'
  stats: BigIntStats
}

/**
 * Lists each folder before its entries. Throws `not-a-regular-file` for what cannot be copied. Opens only
 * folders.
 */
export function listTree(folder: string): TreeEntry[] {
  const stats = statIfThere(folder)
  if (stats === undefined || !stats.isDirectory()) throw unfit(folder, folder, 'is not a folder')
  return [{ name: '', kind: 'folder', stats }, ...entriesIn(folder, '', stats.dev)]
}

function entriesIn(top: string, above: string, device: bigint): TreeEntry[] {
  return namesIn(join(top, above)).flatMap(own => {
    const name = join(above, own)
    const entry = describeEntry(top, name, device)
    return entry.kind === 'folder' ? [entry, ...entriesIn(top, name, device)] : [entry]
  })
}

function namesIn(folder: string): string[] {
  try {
    return files()
      .list(folder)
      .map(({ name }) => name)
      .sort()
  } catch (error) {
    throw fromSystemError(error, folder)
  }
}

function describeEntry(top: string, name: string, device: bigint): TreeEntry {
  const path = join(top, name)
  const stats = statIfThere(path)
  // A name that is not UTF-8 is decoded to another one, which does not exist.
  if (stats === undefined) throw unfit(top, path, 'disappeared in the meantime, or has a name that is not text')
  if (stats.dev !== device) throw unfit(top, path, 'is on another disk again')
  if (stats.isDirectory()) return { name, kind: 'folder', stats }
  if (stats.isFile()) return { name, kind: 'file', stats }
  if (stats.isSymbolicLink()) return { name, kind: 'link', stats }
  throw unfit(top, path, `is a ${stats.isFIFO() ? 'named pipe' : stats.isSocket() ? 'socket' : 'device'}`)
}

export function bytesIn(entries: readonly TreeEntry[]): number {
  return entries.reduce((sum, { kind, stats }) => sum + (kind === 'file' ? Number(stats.size) : 0), 0)
}

/** Whether nothing was added, removed or written between two listings. */
export function isSameTree(one: readonly TreeEntry[], other: readonly TreeEntry[]): boolean {
  return one.length === other.length && one.every((entry, index) => markOf(entry) === markOf(other[index]))
}

function markOf(entry: TreeEntry | undefined): string {
  if (entry === undefined) return ''
  const { name, kind, stats } = entry
  const written = kind === 'folder' ? '' : `${stats.size} ${stats.mtimeNs}`
  return `${kind} ${stats.dev} ${stats.ino} ${stats.mode} ${stats.uid} ${stats.gid} ${written} ${name}`
}

const OURS = 0o700

/**
 * Removes a copy of rethread, or a folder that was copied, including read-only entries. Does nothing if it
 * does not exist.
 */
export function removeHidden(folder: string): void {
  if (statIfThere(folder) === undefined) return
  makeRemovable(folder)
  removeTree(folder)
  try {
    files().syncFolder(dirname(folder))
  } catch (error) {
    throw fromWriteError(error, folder)
  }
}

function makeRemovable(folder: string): void {
  try {
    if ((Number(files().lstat(folder).mode) & OURS) !== OURS) files().chmod(folder, OURS)
    for (const entry of files().list(folder)) if (entry.isDirectory()) makeRemovable(join(folder, entry.name))
  } catch (error) {
    throw fromWriteError(error, folder)
  }
}

function unfit(top: string, path: string, detail: string): RethreadError {
  return new RethreadError({
    code: 'not-a-regular-file',
    text: `${path} ${detail}, so ${top} cannot be copied to another disk. Nothing was changed.`,
    hint: `Take it out of there, then try again. See what it is: ls -ld ${quote(path)}`,
    path,
  })
}
