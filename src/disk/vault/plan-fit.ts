// Checks that the plan still fits the files on disk. Runs under the lock, right before anything is changed.
import type { BigIntStats } from 'node:fs'
import { sep } from 'node:path'
import type { ByteEdit, Change, RowChange } from '../../model/plan.ts'
import { bytesIn, listTree } from '../files/folder-tree.ts'
import { type Handle, readRange, statIfThere, withHandle } from '../files/handles.ts'
import { type FileIdentity, identityOf } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromSystemError } from '../files/system-errors.ts'
import { planOutdated } from './errors.ts'
import { isOtherDisk } from './steps/cross-disk.ts'
import type { CopyIn, Move, StepInput, StreamIn } from './steps/step.ts'

/** A file as it was when the plan was made. A file that is to be recreated has no entry. */
export interface PlannedFile {
  file: string
  identity: Omit<FileIdentity, 'mark'>
}

/** In the order of the plan, with all rows of one database together at the position of the first. */
export function groupChanges(changes: readonly (Change | CopyIn | StreamIn | Move)[]): StepInput[] {
  const rows = new Map<string, RowChange[]>()
  const inputs: StepInput[] = []
  for (const change of changes) {
    if (change.type !== 'row') inputs.push(change)
    else if (rows.has(change.file)) rows.get(change.file)?.push(change)
    else {
      const first = [change]
      rows.set(change.file, first)
      inputs.push({ type: 'rows', file: change.file, changes: first })
    }
  }
  assertWellFormed(inputs)
  return inputs
}

/** A plan that contradicts itself is a bug of its maker and not a problem of the files. */
function assertWellFormed(inputs: readonly StepInput[]): void {
  const seen = new Set<string>()
  for (const [index, input] of inputs.entries()) {
    const file = fileAfter(input.file, inputs.slice(index + 1))
    if (seen.has(file)) throw new Error(`The plan changes ${input.file} in two ways at once.`)
    seen.add(file)
    if (input.type === 'patch') assertSorted(input.file, input.edits)
  }
}

/** The path of the file once later changes have moved the folder around it. */
function fileAfter(file: string, later: readonly StepInput[]): string {
  const move = later.find(input => input.type === 'move' && file.startsWith(input.file + sep))
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

export async function assertFits(input: StepInput, planned: PlannedFile | undefined): Promise<Fit> {
  if (planned === undefined) {
    const isMade = input.type === 'write' || input.type === 'copy-in' || input.type === 'stream-in'
    if (isMade && statIfThere(input.file) === undefined)
      return { path: input.file, identity: undefined, mayGrow: false }
    throw planOutdated(input.file, isMade ? 'another program has created it in the meantime' : 'it was not read before')
  }
  if (input.type === 'move') return assertMovable(input, planned)
  const path = realPath(input.file)
  const stats = statIfThere(path)
  if (stats === undefined || !stats.isFile()) throw planOutdated(path, 'it is not a regular file')
  assertSameFile(path, stats, planned.identity)
  const identity = identityOf(stats)
  if (input.type === 'rows' || input.type === 'rebuild-database') return { path, identity, mayGrow: true }
  const isUnchanged = identity.key === planned.identity.key
  if (input.type === 'patch')
    await withHandle(path, 'read', file => assertEditsFit(file, identity.size, input.edits, isUnchanged))
  else if (!isUnchanged) throw planOutdated(path, 'it was written to in the meantime')
  return { path, identity, mayGrow: input.type === 'patch' && input.edits.every(({ old }) => old !== undefined) }
}

/** A link itself is moved, not its target. The content of a folder does not matter. */
function assertMovable({ file, to }: Move, planned: PlannedFile): Fit {
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
