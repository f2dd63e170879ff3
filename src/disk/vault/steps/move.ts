// Renames a file, a folder or a link; a folder also to another disk. New content can take the old name, and
// then the file is never missing in between.
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { listTree } from '../../files/folder-tree.ts'
import { type Handle, statIfThere, syncHandle, withHandle, writeAll } from '../../files/handles.ts'
import { CANNOT_LINK, removeSpare, renameTo, swapNames } from '../../files/swap-settle.ts'
import { files } from '../../files/system-calls.ts'
import { fromWriteError, systemCode } from '../../files/system-errors.ts'
import { assertNotOpenElsewhere } from '../../processes/writers.ts'
import { makeFolder, removeIfThere } from '../../state/own-files.ts'
import { backUp, withBackup } from '../backup.ts'
import { planOutdated, undoConflict } from '../errors.ts'
import { fillFromBackup, hasContent, placeNew } from '../put-back.ts'
import type { StoredMove } from '../receipt.ts'
import { storeBytes } from '../stored-edits.ts'
import { carryBack, carryOver, isFolderOf, otherDisk, settlePrepared } from './cross-disk.ts'
import type { ChangeState, ChangeStep, Move, StepContext } from './step.ts'

/** A copy has its time only to the microsecond. */
const COPIED_TIME_NS = 1000n

export const moveStep: ChangeStep<StoredMove, Move> = {
  async prepare({ vault, index }, { damage, reason, to, instead }, fit) {
    const { path } = fit
    const moved = describe(path)
    if (moved.kind === 'file') await assertNotOpenElsewhere(fit, false)
    const before = moved.kind === 'file' ? await backUp(vault, index, fit) : null
    return {
      type: 'move',
      damage,
      reason,
      path,
      to,
      moved,
      before,
      instead:
        instead === undefined
          ? null
          : {
              sizeAfter: instead.bytes.length,
              sha256After: createHash('sha256').update(instead.bytes).digest('hex'),
              new: storeBytes(vault, index, path, instead.bytes),
            },
    }
  },
  async apply(context, stored, { instead }) {
    const { path, to, moved } = stored
    const { temporary } = namesOf(context, path, 'do')
    makeFolder(dirname(to))
    if (instead !== undefined)
      await withHandle(temporary, 'create', fresh => {
        writeAll(fresh, instead.bytes, 0)
        finishNew(fresh, instead)
        syncHandle(fresh)
      })
    if (moved.kind === 'file') await assertNotOpenElsewhere({ path, identity: moved }, false)
    if (!isMoved(path, moved)) throw planOutdated(path, 'it was written to in the meantime')
    context.touch()
    if (instead !== undefined && moved.kind === 'file' && linkFree(path, to)) {
      assertArrived(stored)
      return renameTo(temporary, path)
    }
    if (!renameFree(path, to)) return await carryOver(context, stored)
    assertArrived(stored)
    if (instead !== undefined && !placeNew(temporary, path))
      throw planOutdated(path, 'another program has created such a file in the meantime')
  },
  async inspect(context, stored) {
    for (const tag of ['do', 'undo'] as const) removeIfThere(namesOf(context, stored.path, tag).temporary)
    if (stored.moved.kind === 'folder') settlePrepared(context, stored)
    return await stateOf(stored)
  },
  async revert(context, stored) {
    const { path, to, moved, before } = stored
    if (isMoved(path, moved)) {
      if (isMoved(to, moved)) removeSpare(to)
    } else if (isFolderOf(to, stored.copied)) await carryBack(context, stored)
    else if (isMoved(to, moved)) {
      // Only a file can replace the new one in one step.
      if (moved.kind === 'file' && statIfThere(path) !== undefined) return renameTo(to, path)
      removeSpare(path)
      if (!renameFree(to, path)) throw otherDisk(to, path)
    } else if (before !== null) await putBackCopy(context, stored)
  },
  async assertUndoable({ vault }, stored) {
    const state = await stateOf(stored)
    // Throws for content that cannot be copied back, before anything is done.
    if (state.at === 'after') return void (stored.copied === undefined || listTree(stored.to))
    const kept = stored.before === null ? stored.to : join(vault.folder, stored.before.backup)
    throw undoConflict(stored.path, state.at === 'other' ? state.text : 'is not as the repair left it', kept)
  },
  async finish() {},
  filesBefore: ({ before }) => (before === null ? [] : [before]),
}

/** Sets the mode and time of a new file, as far as they are given. */
export function finishNew(fresh: Handle, { mode, modifiedNs }: { mode?: number; modifiedNs?: bigint }): void {
  try {
    if (mode !== undefined) files().chmod(fresh.path, mode)
    if (modifiedNs !== undefined) files().setTimes(fresh.fd, modifiedNs, modifiedNs)
  } catch (error) {
    throw fromWriteError(error, fresh.path)
  }
}

function describe(path: string): StoredMove['moved'] {
  const stats = statIfThere(path)
  if (stats === undefined) throw planOutdated(path, 'it no longer exists')
  const kind = stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : stats.isFile() ? 'file' : undefined
  if (kind === undefined) throw planOutdated(path, 'it is neither a file nor a folder')
  return {
    kind,
    device: String(stats.dev),
    inode: String(stats.ino),
    size: Number(stats.size),
    modifiedNs: String(stats.mtimeNs),
  }
}

/** The content of a folder may change, and with it the folder's time. */
function isMoved(path: string, moved: StoredMove['moved']): boolean {
  const stats = statIfThere(path)
  if (stats === undefined) return false
  const isIt = String(stats.ino) === moved.inode && String(stats.dev) === moved.device
  // The device number of a disk may change when it is mounted again.
  if (!isIt && moved.copies?.some(({ inode }) => inode === String(stats.ino)) !== true) return false
  if (moved.kind === 'folder') return stats.isDirectory()
  const exact = isIt ? 1n : COPIED_TIME_NS
  return Number(stats.size) === moved.size && stats.mtimeNs / exact === BigInt(moved.modifiedNs) / exact
}

async function stateOf(stored: StoredMove): Promise<ChangeState> {
  const { path, to, moved, before, instead } = stored
  const there = statIfThere(path)
  const hasArrived = isMoved(to, moved) || isFolderOf(to, stored.copied)
  // After a move across disks, both names exist only where another program has created one.
  if (isFolderOf(path, stored.returned) && !hasArrived) return { at: 'before' }
  if (isMoved(path, moved) && !isFolderOf(to, stored.copied)) return { at: hasArrived ? 'between' : 'before' }
  if (instead !== null && there?.isFile() === true && (await hasContent(path, instead.sizeAfter, instead.sha256After)))
    return hasArrived || before !== null
      ? { at: 'after' }
      : { at: 'other', text: `was moved to ${to}, and no longer exists there` }
  if (there !== undefined) return { at: 'other', text: 'has been recreated or changed since' }
  if (!hasArrived)
    return {
      at: 'other',
      text: `was moved to ${to}, and ${statIfThere(to) === undefined ? 'no longer exists' : 'has been changed there since'}`,
    }
  return { at: instead === null ? 'after' : 'between' }
}

/** False on a file system without hard links. */
function linkFree(path: string, to: string): boolean {
  try {
    files().link(path, to)
    files().syncFolder(dirname(to))
    return true
  } catch (error) {
    if (CANNOT_LINK.has(systemCode(error))) return false
    throw systemCode(error) === 'EEXIST' ? taken(to) : fromWriteError(error, to)
  }
}

/**
 * Never replaces an existing file. Only an empty folder created at the same moment could be missed. False
 * where `to` is on another disk.
 */
function renameFree(path: string, to: string): boolean {
  if (statIfThere(to) !== undefined) throw taken(to)
  try {
    files().rename(path, to)
    for (const folder of new Set([dirname(to), dirname(path)])) files().syncFolder(folder)
    return true
  } catch (error) {
    if (systemCode(error) === 'EXDEV') return false
    throw fromWriteError(error, to)
  }
}

/** Another program may have put a file there at the same moment. */
function assertArrived({ path, to, moved }: StoredMove): void {
  if (isMoved(to, moved)) return
  if (statIfThere(path) === undefined) renameTo(to, path)
  else removeSpare(to)
  throw planOutdated(path, 'it was replaced in the very moment it was moved')
}

/** Restores the file from its copy, where it is no longer at its new path. */
async function putBackCopy(context: StepContext, { path, before }: StoredMove): Promise<void> {
  if (before === null) return
  const { temporary } = namesOf(context, path, 'undo')
  await withBackup(context.vault, before, backup =>
    withHandle(temporary, 'create', async fresh => {
      await fillFromBackup(fresh, backup, before)
      syncHandle(fresh)
    }),
  )
  renameTo(temporary, path)
}

function taken(to: string) {
  return planOutdated(to, 'another program has created something with this name in the meantime')
}

function namesOf({ vault, index }: StepContext, path: string, tag: 'do' | 'undo') {
  return swapNames(path, vault.receipt.id, index, tag)
}
