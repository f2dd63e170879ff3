// The temporary files in an agent's folder during a swap, and the clean-up after a swap that was interrupted
// anywhere.
import { dirname, join } from 'node:path'
import { removeIfThere } from '../state/own-files.ts'
import type { FileBefore } from '../vault/receipt.ts'
import { type Handle, readRange, statHandle, statIfThere, syncHandle, withHandle, writeAll } from './handles.ts'
import { listFolder } from './read.ts'
import { files } from './system-calls.ts'
import { fromWriteError } from './system-errors.ts'

/** The suffix of every temporary file of rethread. */
export const SUFFIX = '.rethread-tmp'
/** The errors of file systems without hard links. */
export const CANNOT_LINK = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

export interface SwapNames {
  temporary: string
  /** The second name of the old file. It includes the number of its bytes that the new file already has. */
  spare(copied: number): string
  spareStart: string
}

/** The only files of rethread that are ever in an agent's folder, and only for a moment. */
export function swapNames(path: string, id: string, index: number, tag: 'do' | 'undo'): SwapNames {
  const start = join(dirname(path), `.${id}-${index}-${tag}`)
  const spareStart = `${start}-at-`
  return { temporary: start + SUFFIX, spareStart, spare: copied => `${spareStart}${copied}${SUFFIX}` }
}

export interface InterruptedSwap {
  path: string
  names: SwapNames
  oldSize: number
  freshSize: number
  before: FileBefore | null
  late: 'carry' | 'refuse'
}

/**
 * After an interrupted swap: it has either happened or not, no appended byte is lost, and no file of rethread
 * is left in the folder.
 */
export async function settleSwap(swap: InterruptedSwap): Promise<void> {
  const spare = findSpare(swap.names)
  if (statIfThere(swap.names.temporary) !== undefined) {
    // Never swapped in: the old file still has its name.
    removeIfThere(swap.names.temporary)
  } else if (spare !== undefined && swap.late === 'carry') await carryLate(swap, spare)
  else if (spare !== undefined && isChanged(spare.path, swap.before)) {
    return renameTo(spare.path, swap.path)
  }
  if (spare !== undefined) removeSpare(spare.path)
}

async function carryLate(swap: InterruptedSwap, spare: Spare): Promise<void> {
  if (statIfThere(swap.path) === undefined) return
  const late = await withHandle(spare.path, 'read', old => tailOf(old, spare.copied))
  if (late.length === 0) return
  const shown = spare.copied + swap.freshSize - swap.oldSize
  const prepared = await withHandle(swap.path, 'read', handle => tailOf(handle, shown))
  // All or a part of it may have been carried over right before the interruption.
  if (prepared.includes(late)) return
  const rest = late.subarray(overlap(prepared, late))
  await withHandle(swap.path, 'append', end => appendAll(end, rest))
}

/** The number of bytes at the end of one that are the start of the other. */
function overlap(one: Buffer, other: Buffer): number {
  for (let length = Math.min(one.length, other.length); length > 0; length--)
    if (one.subarray(-length).equals(other.subarray(0, length))) return length
  return 0
}

interface Spare {
  path: string
  copied: number
}

export function findSpare(names: SwapNames): Spare | undefined {
  const entry = listFolder(dirname(names.spareStart)).find(({ path }) => path.startsWith(names.spareStart))
  if (entry === undefined) return undefined
  return { path: entry.path, copied: Number(entry.path.slice(names.spareStart.length, -SUFFIX.length)) }
}

function isChanged(path: string, before: FileBefore | null): boolean {
  const stats = statIfThere(path)
  if (stats === undefined || before === null || String(stats.ino) !== before.inode) return false
  return Number(stats.size) !== before.size || String(stats.mtimeNs) !== before.modifiedNs
}

export function removeSpare(spare: string): void {
  removeIfThere(spare)
  try {
    files().syncFolder(dirname(spare))
  } catch (error) {
    throw fromWriteError(error, spare)
  }
}

export function tailOf(handle: Handle, from: number): Buffer {
  return Buffer.from(readRange(handle, from, Number(statHandle(handle).size)))
}

/** Writes in one call, so that lines of other processes cannot come in between. */
export function appendAll(end: Handle, bytes: Buffer): void {
  if (bytes.length === 0) return
  writeAll(end, bytes, null)
  syncHandle(end)
}

export function renameTo(from: string, to: string): void {
  try {
    files().rename(from, to)
    files().syncFolder(dirname(to))
  } catch (error) {
    throw fromWriteError(error, to)
  }
}
