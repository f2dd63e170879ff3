// Checks that the plan still fits the files on disk. Runs under the lock, right before anything is changed.
import type { BigIntStats } from 'node:fs'
import { sep } from 'node:path'
import type { ByteEdit, Change, RowChange } from '../../model/plan.ts'
import { bytesIn, listTree } from '../files/folder-tree.ts'
import { type Handle, readRange, statIfThere, withHandle } from '../files/handles.ts'
import { type FileIdentity, identityOf } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromSystemError } from '../files/system-errors.ts'
import { planOutdated } from './refusals.ts'
import { isOtherDisk } from './steps/cross-disk.ts'
import type { CopyIn, Move, Work } from './steps/step.ts'

/** A file as it was when the plan was made. A file that is to be recreated has no entry. */
export interface Planned {
  file: string
  identity: Omit<FileIdentity, 'mark'>
}

/** In the order of the plan, with all rows of one database together at the position of the first. */
export function groupChanges(changes: readonly (Change | CopyIn | Move)[]): Work[] {
  const rows = new Map<string, RowChange[]>()
  const works: Work[] = []
  for (const change of changes) {
    if (change.type !== 'row') works.push(change)
    else if (rows.has(change.file)) rows.get(change.file)?.push(change)
    else {
      const first = [change]
      rows.set(change.file, first)
      works.push({ type: 'rows', file: change.file, changes: first })
    }
  }
  assertWellFormed(works)
  return works
}

/** A plan that contradicts itself is a bug of its maker and not a problem of the files. */
function assertWellFormed(works: readonly Work[]): void {
  const seen = new Set<string>()
  for (const [index, work] of works.entries()) {
    const file = fileAfter(work.file, works.slice(index + 1))
    if (seen.has(file)) throw new Error(`The plan changes ${work.file} in two ways at once.`)
    seen.add(file)
    if (work.type === 'patch') assertSorted(work.file, work.edits)
  }
}

/** The path of the file once later changes have moved the folder around it. */
function fileAfter(file: string, later: readonly Work[]): string {
  const move = later.find(work => work.type === 'move' && file.startsWith(work.file + sep))
  return move?.type === 'move' ? move.to + file.slice(move.file.length) : file
}

function assertSorted(file: string, edits: readonly ByteEdit[]): void {
  let end = 0
  for (const edit of edits) {
    if (edit.start < end || edit.end < edit.start)
      throw new Error(`The edits of ${file} are not in order at ${edit.start}.`)
    end = edit.end
  }
}

/** The file that a change is carried out on. */
export interface Fit {
  /** With all links followed: the file itself is replaced, not a link to it. */
  path: string
  /** Its current identity; undefined for a file that is to be created. */
  identity: FileIdentity | undefined
  /** Whether the plan still fits if the file grows. */
  mayGrow: boolean
  /** The size of a folder that must be copied to another disk. */
  treeBytes?: number
}

export async function assertFits(work: Work, planned: Planned | undefined): Promise<Fit> {
  if (planned === undefined) {
    const isMade = work.type === 'write' || work.type === 'copy-in'
    if (isMade && statIfThere(work.file) === undefined) return { path: work.file, identity: undefined, mayGrow: false }
    throw planOutdated(work.file, isMade ? 'another program has created it in the meantime' : 'it was not read before')
  }
  if (work.type === 'move') return assertMovable(work, planned)
  const path = realPath(work.file)
  const stats = statIfThere(path)
  if (stats === undefined || !stats.isFile()) throw planOutdated(path, 'it is not a regular file')
  assertSameFile(path, stats, planned.identity)
  const identity = identityOf(stats)
  if (work.type === 'rows' || work.type === 'rebuild-database') return { path, identity, mayGrow: true }
  const isUnchanged = identity.key === planned.identity.key
  if (work.type === 'patch')
    await withHandle(path, 'read', file => assertEditsFit(file, identity.size, work.edits, isUnchanged))
  else if (!isUnchanged) throw planOutdated(path, 'it was written to in the meantime')
  return { path, identity, mayGrow: work.type === 'patch' && work.edits.every(({ old }) => old !== undefined) }
}

/** A link itself is moved, not its target. The content of a folder does not matter. */
function assertMovable({ file, to }: Move, planned: Planned): Fit {
  const stats = statIfThere(file)
  if (stats === undefined) throw planOutdated(file, 'it no longer exists')
  assertSameFile(file, stats, planned.identity)
  const identity = identityOf(stats)
  if (!stats.isDirectory() && identity.key !== planned.identity.key)
    throw planOutdated(file, 'it was written to in the meantime')
  if (statIfThere(to) !== undefined) throw planOutdated(to, 'another program has created it in the meantime')
  const fit = { path: file, identity, mayGrow: false }
  return stats.isDirectory() && isOtherDisk(file, to) ? { ...fit, treeBytes: bytesIn(listTree(file)) } : fit
}

/** The file may have changed between the check and its copy. */
export function assertStillFits(fit: Fit, stats: BigIntStats): void {
  if (fit.identity === undefined) throw planOutdated(fit.path, 'another program has created it in the meantime')
  assertSameFile(fit.path, stats, fit.identity)
  const { key, size } = identityOf(stats)
  if (key !== fit.identity.key && !(fit.mayGrow && size >= fit.identity.size))
    throw planOutdated(fit.path, 'it was written to in the meantime')
}

function assertSameFile(path: string, stats: BigIntStats, planned: Omit<FileIdentity, 'mark'>): void {
  if (String(stats.dev) !== planned.device || String(stats.ino) !== planned.inode)
    throw planOutdated(path, 'another file has taken its place')
}

/** A file that has grown is accepted if the bytes to be replaced are known and still there. */
export function assertEditsFit(file: Handle, size: number, edits: readonly ByteEdit[], isUnchanged: boolean): void {
  for (const { start, end, old } of edits) {
    if (end > size) throw planOutdated(file.path, 'it is shorter than it was', start)
    if (old === undefined && !isUnchanged) throw planOutdated(file.path, 'it was written to in the meantime', start)
    if (old !== undefined && !readRange(file, start, end).equals(old))
      throw planOutdated(file.path, 'the bytes to be replaced have changed', start)
  }
}

function realPath(path: string): string {
  try {
    return files().realpath(path)
  } catch (error) {
    throw fromSystemError(error, path)
  }
}
