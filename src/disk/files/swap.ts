// Swaps a new file in for one that another process may be appending to. No byte is lost at any moment, even
// if rethread is killed. The old file keeps a second name (the spare) until no process writes to it any more.
// Bytes appended in the last moment are then carried over. The name of the spare states how much of it the
// new file already has.
import { dirname } from 'node:path'
import { findLastingHolder, type Holder, type Inode } from '../processes/open-handles.ts'
import { assertNotOpenElsewhere, busyError, heldBy } from '../processes/writers.ts'
import { planOutdated } from '../vault/errors.ts'
import type { FileBefore } from '../vault/receipt.ts'
import {
  closeHandle,
  copyRange,
  type Handle,
  openHandle,
  statHandle,
  statIfThere,
  syncHandle,
  withHandle,
} from './handles.ts'
import { appendAll, CANNOT_LINK, removeSpare, renameTo, type SwapNames, tailOf } from './swap-settle.ts'
import { files } from './system-calls.ts'
import { fromWriteError, systemCode } from './system-errors.ts'

/**
 * Rounds of catching up with a writer before the swap. Bytes after the last round are carried over after the
 * swap.
 */
const MAX_CATCH_UP = 3

export interface Swap {
  path: string
  names: SwapNames
  /** Open on the file that is replaced. */
  old: Handle
  /**
   * Open on the temporary file. Its first `freshSize` bytes correspond to the first `oldSize` bytes of the
   * old file.
   */
  fresh: Handle
  oldSize: number
  freshSize: number
  /** The file before the repair. Its times are kept if nothing was appended since. */
  before: FileBefore
  /** The new file gets the current time. */
  isTouched?: boolean
  /** What to do with bytes appended since: carry them over, or stop (for files that are not logs). */
  late: 'carry' | 'refuse'
  /** Called right before the one step that changes what other programs see. */
  touch(): void
}

/** Returns the process that still writes to the old file, where rethread could see but not handle it. */
export async function swapIn(swap: Swap): Promise<Holder | undefined> {
  const inode = inodeOf(swap.old)
  await assertNotOpenElsewhere({ path: swap.path, identity: inode }, false)
  const copied = await catchUp(swap)
  keepTimes(swap, copied)
  // Opened by its temporary name, so that the handle stays on this file whatever takes its place later.
  const end = openHandle(swap.names.temporary, 'append')
  try {
    const spare = exchange(swap, copied)
    return await settleExchange(swap, { spare, copied, end, inode })
  } finally {
    closeHandle(end)
  }
}

/** Returns how much of the old file is in the new one when the exchange starts. */
async function catchUp(swap: Swap): Promise<number> {
  const shift = swap.freshSize - swap.oldSize
  let copied = swap.oldSize
  for (let round = 0; round < MAX_CATCH_UP; round++) {
    const size = Number(statHandle(swap.old).size)
    if (size < copied) throw planOutdated(swap.path, 'it became shorter')
    if (swap.late === 'refuse') assertUnchanged(swap)
    else copied += await copyRange(swap.old, copied, size, swap.fresh, copied + shift)
    syncHandle(swap.fresh)
    if (Number(statHandle(swap.old).size) === copied) break
  }
  return copied
}

function assertUnchanged(swap: Swap): void {
  if (hasChanged(swap)) throw planOutdated(swap.path, 'it was written to in the meantime')
}

function hasChanged({ old, before, oldSize }: Swap): boolean {
  const stats = statHandle(old)
  // The times of a file that rethread wrote (undo) are not the original ones. Its size and inode are checked
  // by the callers.
  return (
    Number(stats.size) !== oldSize ||
    (String(stats.ino) === before.inode && String(stats.mtimeNs) !== before.modifiedNs)
  )
}

function keepTimes({ old, fresh, oldSize, before, isTouched }: Swap, copied: number): void {
  if (isTouched === true) return
  const now = statHandle(old)
  const modified = copied === oldSize ? BigInt(before.modifiedNs) : now.mtimeNs
  try {
    files().setTimes(fresh.fd, now.atimeNs, modified)
  } catch (error) {
    throw fromWriteError(error, fresh.path)
  }
}

function exchange(swap: Swap, copied: number): string | undefined {
  const spare = linkSpare(swap.path, swap.names.spare(copied))
  const there = statIfThere(swap.path)
  const old = statHandle(swap.old)
  if (there === undefined || there.ino !== old.ino || there.dev !== old.dev)
    throw planOutdated(swap.path, 'another file has taken its place')
  if (swap.late === 'refuse') assertUnchanged(swap)
  swap.touch()
  renameTo(swap.names.temporary, swap.path)
  return spare
}

/** Undefined on a file system without hard links. */
export function linkSpare(path: string, spare: string): string | undefined {
  try {
    files().link(path, spare)
    files().syncFolder(dirname(path))
    return spare
  } catch (error) {
    if (CANNOT_LINK.has(systemCode(error))) return undefined
    throw fromWriteError(error, spare)
  }
}

interface Exchanged {
  spare: string | undefined
  copied: number
  /** Appends to the new file. */
  end: Handle
  /** Of the old file. */
  inode: Inode
}

/** Once no process has the old file open for writing, nothing more can be appended to it. */
async function settleExchange(swap: Swap, exchanged: Exchanged): Promise<Holder | undefined> {
  const holder = await findLastingHolder([exchanged.inode], { anyHandle: false })
  const isLate = swap.late === 'refuse' && hasChanged(swap)
  if ((holder !== undefined || isLate) && exchanged.spare !== undefined) {
    await undoExchange(swap, exchanged, exchanged.spare)
    if (holder !== undefined) throw busyError(swap.path, heldBy(holder, swap.path))
    throw planOutdated(swap.path, 'it was written to in the very moment it was replaced')
  }
  if (swap.late === 'carry') appendAll(exchanged.end, tailOf(swap.old, exchanged.copied))
  if (exchanged.spare !== undefined) removeSpare(exchanged.spare)
  return holder
}

/**
 * A process opened the old file during the exchange and keeps it open. The old file gets its name back, with
 * everything that was appended to the new one.
 */
async function undoExchange(swap: Swap, { copied }: Exchanged, spare: string): Promise<void> {
  const shown = copied + swap.freshSize - swap.oldSize
  await withHandle(spare, 'append', async oldEnd => {
    const first = tailOf(swap.fresh, shown)
    appendAll(oldEnd, first)
    renameTo(spare, swap.path)
    await findLastingHolder([inodeOf(swap.fresh)], { anyHandle: false })
    appendAll(oldEnd, tailOf(swap.fresh, shown + first.length))
  })
}

function inodeOf(handle: Handle): Inode {
  const stats = statHandle(handle)
  return { device: String(stats.dev), inode: String(stats.ino) }
}
