// Walks through the folders that a session works in and never leaves them. Links are listed and not followed.
import type { Dirent } from 'node:fs'
import { constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrorCode, type RethreadError } from '../../model/errors.ts'
import { openAnchored } from './anchored-folder.ts'
import { closeHandle, type Handle, readRange, statHandle } from './handles.ts'
import { resolveInside } from './session-path.ts'
import { files } from './system-calls.ts'
import { fromSystemError, systemCode } from './system-errors.ts'

export interface InFolder {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

/** A folder that stays open while it is read. */
export interface OpenFolder {
  /** Sorted by name. */
  list(): InFolder[]
  /** The first bytes of a file in it; undefined where it is missing, not a regular file, or not readable. */
  begin(name: string, bytes: number): Buffer | undefined
}

export interface WalkedEntry extends InFolder {
  /** Relative to the root of the walk, with slashes. */
  path: string
}

export interface WalkOptions {
  root: string
  maxEntries: number
  maxDepth: number
  /**
   * Called with each folder before its entries are listed. Returns a filter for them. A folder that the
   * filter rejects is not entered.
   */
  enter(path: string, folder: OpenFolder): (entry: WalkedEntry) => boolean
}

export interface WalkEnd {
  entries: number
  /** The number of folders that could not be read or disappeared meanwhile. */
  unreadable: number
  /** Not everything was walked. */
  isCut: boolean
}

const READ_ONE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
/** Errors of one folder that do not stop the walk. */
const SKIPPED_ERRORS = ['permission-denied', 'not-found', 'not-a-regular-file', 'outside-store'] as const

/** Opens a folder inside `folders`. Links on the way are followed where they stay inside. */
export function withSessionFolder<T>(path: string, folders: readonly string[], use: (folder: OpenFolder) => T): T {
  const place = resolveInside(path, folders)
  if (place.missing.length > 0) throw notThere(path)
  return withFolder(place.real, place.accept, use)
}

/**
 * Yields the nearest entries first, one folder at a time, so that a pacing caller can run other work between
 * two.
 */
export function* walkFolder(options: WalkOptions): Generator<WalkedEntry[], WalkEnd, void> {
  const { root, maxEntries, maxDepth, enter } = options
  const { real, accept } = resolveInside(root, [root])
  const waiting: { path: string; depth: number }[] = [{ path: '', depth: 0 }]
  const end: WalkEnd = { entries: 0, unreadable: 0, isCut: false }
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    const { path, depth } = at
    const found = readFolder(join(real, path), accept, path, enter, depth === 0)
    if (found === undefined) {
      end.unreadable++
      continue
    }
    const room = maxEntries - end.entries
    const taken = found.slice(0, room)
    end.entries += taken.length
    yield taken
    if (taken.length < found.length) return { ...end, isCut: true }
    const inner = taken.filter(({ kind }) => kind === 'folder')
    if (depth < maxDepth) waiting.push(...inner.map(entry => ({ path: entry.path, depth: depth + 1 })))
    else end.isCut ||= inner.length > 0
  }
  return end
}

function readFolder(
  real: string,
  accept: (real: string) => void,
  path: string,
  enter: WalkOptions['enter'],
  isRoot: boolean,
): WalkedEntry[] | undefined {
  try {
    return withFolder(real, accept, folder => {
      const isWanted = enter(path, folder)
      const above = path === '' ? '' : `${path}/`
      return folder
        .list()
        .map(entry => ({ ...entry, path: above + entry.name }))
        .filter(isWanted)
    })
  } catch (error) {
    if (!isRoot && SKIPPED_ERRORS.some(code => hasErrorCode(error, code))) return undefined
    throw error
  }
}

function withFolder<T>(real: string, accept: (real: string) => void, use: (folder: OpenFolder) => T): T {
  const anchored = openAnchored(real, accept)
  try {
    return use({
      list: () => listAt(anchored.here, real),
      begin: (name, bytes) => beginOf(anchored.at(name), join(real, name), bytes),
    })
  } finally {
    anchored.close()
  }
}

function listAt(here: string, path: string): InFolder[] {
  try {
    return files()
      .list(here)
      .map(entry => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    throw fromSystemError(error, path)
  }
}

function kindOf(entry: Dirent): InFolder['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

/** These errors are ignored: the file only holds rules about other files. */
const IGNORED_ERRORS = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM', 'EISDIR'])

function beginOf(at: string, path: string, bytes: number): Buffer | undefined {
  let handle: Handle
  try {
    handle = { fd: openSync(at, READ_ONE), path }
  } catch (error) {
    if (IGNORED_ERRORS.has(systemCode(error))) return undefined
    throw fromSystemError(error, path)
  }
  try {
    const stats = statHandle(handle)
    return stats.isFile() ? readRange(handle, 0, Math.min(bytes, Number(stats.size))) : undefined
  } finally {
    closeHandle(handle)
  }
}

function notThere(path: string): RethreadError {
  return fromSystemError(Object.assign(new Error('not there'), { code: 'ENOENT' }), path)
}
