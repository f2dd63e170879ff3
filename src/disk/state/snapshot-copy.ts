// Copies the files of one session, each as of one moment, and reports later what became of the originals.
// Copies are not synced: their hash is verified before use.
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyRange, hashUpTo, openHandle, statHandle, statIfThere, withHandle } from '../files/handles.ts'
import { assertInside, type FileIdentity, identityOf } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError } from '../files/system-errors.ts'
import { busyError } from '../processes/writers.ts'
import { closeDescriptor, databaseMark, hasConnections } from '../sqlite/database-files.ts'
import { makeFolder, removeIfThere } from './own-files.ts'

/** How often a copy may be overtaken by a writer. */
const MAX_TRIES = 3
const BETWEEN_TRIES_MS = 200
/** The files that SQLite needs beside a database to see what was committed. */
const DATABASE_SUFFIXES = ['', '-wal', '-journal']

export interface SnapshotSource {
  /** Links that lead out of it are not followed. */
  root: string
  /** For a database, only its own path: the files beside it are found. */
  paths: readonly string[]
  isDatabase: boolean
  /** Bytes appended during the copy do no harm to it. */
  mayGrow: boolean
}

export interface SnapshotFile {
  path: string
  copy: string
  size: number
  sha256: string
  owner: { uid: number; gid: number; mode: number }
}

export function sizeOfSource(source: SnapshotSource): number {
  return pathsOf(source).reduce((sum, path) => sum + Number(statIfThere(path, 'stat')?.size ?? 0), 0)
}

export async function copySource(source: SnapshotSource, folder: string): Promise<SnapshotFile[]> {
  return source.isDatabase ? await copyDatabase(source, folder) : await copyFiles(source, folder)
}

/** The path of a store's file among the copies. */
export function pathInSnapshot(folder: string, root: string, path: string): string {
  const inside = relative(root, path)
  const isBelow = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
  return join(folder, isBelow ? inside : basename(path))
}

async function copyFiles({ root, paths, mayGrow }: SnapshotSource, folder: string): Promise<SnapshotFile[]> {
  const kept: SnapshotFile[] = []
  for (const path of paths) {
    const file = await retry(path, () => copyOne(path, root, pathInSnapshot(folder, root, path), mayGrow))
    if (file !== 'gone') kept.push(file)
  }
  return kept
}

/** All files of the database, from between two commits. */
async function copyDatabase(source: SnapshotSource, folder: string): Promise<SnapshotFile[]> {
  const [path = ''] = source.paths
  return await retry(path, async () => {
    const identity = databaseMark(path)
    const kept: SnapshotFile[] = []
    for (const part of pathsOf(source)) {
      const file = await copyOne(part, source.root, pathInSnapshot(folder, source.root, part), false)
      if (file === undefined) return undefined
      if (file !== 'gone') kept.push(file)
    }
    return databaseMark(path) === identity ? kept : undefined
  })
}

function pathsOf({ paths, isDatabase }: SnapshotSource): readonly string[] {
  return isDatabase ? paths.flatMap(path => DATABASE_SUFFIXES.map(suffix => path + suffix)) : paths
}

/** Repeats `step` while it is overtaken by a writer. */
async function retry<T>(path: string, step: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const result = await step()
    if (result !== undefined) return result
    if (attempt < MAX_TRIES) await sleep(BETWEEN_TRIES_MS)
  }
  throw busyError(path, {
    text: `${path} was written to each time it was being copied.`,
    hint: 'Close the agent and try again.',
  })
}

/** Undefined where the file was written meanwhile. */
async function copyOne(
  path: string,
  root: string,
  copy: string,
  mayGrow: boolean,
): Promise<SnapshotFile | 'gone' | undefined> {
  if (statIfThere(path, 'stat') === undefined) return 'gone'
  assertInside(path, root)
  removeIfThere(copy)
  makeFolder(dirname(copy))
  const source = openHandle(path, 'read')
  try {
    const stats = statHandle(source)
    const size = Number(stats.size)
    await copyBytes(path, source, size, copy)
    const sha256 = await withHandle(copy, 'read', handle => hashUpTo(handle, size))
    if (sha256 === undefined || !isUnchanged(path, identityOf(stats), mayGrow)) return undefined
    const owner = { uid: Number(stats.uid), gid: Number(stats.gid), mode: Number(stats.mode & 0o7777n) }
    return { path, copy, size, sha256, owner }
  } finally {
    closeDescriptor(source.fd)
  }
}

async function copyBytes(
  path: string,
  source: { fd: number; path: string },
  size: number,
  copy: string,
): Promise<void> {
  try {
    // A copy by the system shares blocks where it can, but closes the file, and the database connections of
    // this process would lose their locks.
    if (hasConnections()) return void (await withHandle(copy, 'create', to => copyRange(source, 0, size, to, 0)))
    files().copy(path, copy)
    files().chmod(copy, 0o600)
    await withHandle(copy, 'write', to => {
      if (Number(statHandle(to).size) > size) files().truncate(to.fd, size)
    })
  } catch (error) {
    throw fromWriteError(error, copy)
  }
}

function isUnchanged(path: string, before: FileIdentity, mayGrow: boolean): boolean {
  const stats = statIfThere(path, 'stat')
  if (stats === undefined) return false
  const now = identityOf(stats)
  if (now.key === before.key) return true
  return mayGrow && now.inode === before.inode && now.device === before.device && now.size > before.size
}

/** `grown`: the same content, with more after it. */
export type OriginalState = 'same' | 'grown' | 'changed' | 'gone'

export async function originalState({ path, size, sha256 }: SnapshotFile): Promise<OriginalState> {
  const stats = statIfThere(path, 'stat')
  if (stats === undefined) return 'gone'
  if (!stats.isFile() || Number(stats.size) < size) return 'changed'
  const now = await withHandle(path, 'read', handle => hashUpTo(handle, size))
  if (now !== sha256) return 'changed'
  return Number(stats.size) === size ? 'same' : 'grown'
}
