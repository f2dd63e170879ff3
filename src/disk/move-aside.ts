// Something gets another name on the same disk, whatever it is: a file, a folder or a link. Where new content is given, that takes its old name, and a file is never missing in between.
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { backUp, withBackup } from './backup.ts'
import { fromWriteError, systemCode } from './errors.ts'
import { files } from './files.ts'
import { type Handle, statIfThere, syncHandle, withHandle, writeAll } from './handles.ts'
import { makeFolder, removeIfThere } from './own-files.ts'
import type { StoredMove } from './receipt.ts'
import { planOutdated, undoConflict } from './refusals.ts'
import { fillFromBackup, placeNew } from './restore.ts'
import { holds } from './standing.ts'
import type { Move, Place, Standing, Step } from './step.ts'
import { storeBytes } from './stored-edits.ts'
import { CANNOT_LINK, removeSpare, renameTo, swapNames } from './swap-settle.ts'
import { assertNobodyHolds } from './writers.ts'

export const moveStep: Step<StoredMove, Move> = {
  async prepare({ vault, index }, { damage, reason, to, instead }, fit) {
    const { path } = fit
    const moved = describe(path)
    if (moved.kind === 'file') await assertNobodyHolds(fit, false)
    const before = moved.kind === 'file' ? (await backUp(vault, index, fit)).before : null
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
  async apply(place, stored, { instead }) {
    const { path, to, moved } = stored
    const { temporary } = namesOf(place, path, 'do')
    makeFolder(dirname(to))
    if (instead !== undefined)
      await withHandle(temporary, 'create', fresh => {
        writeAll(fresh, instead.bytes, 0)
        finishNew(fresh, instead)
        syncHandle(fresh)
      })
    if (moved.kind === 'file') await assertNobodyHolds({ path, identity: moved }, false)
    if (!isMoved(path, moved)) throw planOutdated(path, 'it was written to meanwhile')
    place.touch()
    if (instead !== undefined && moved.kind === 'file' && linkFree(path, to)) {
      assertArrived(stored)
      return renameTo(temporary, path)
    }
    renameFree(path, to)
    assertArrived(stored)
    if (instead !== undefined && !placeNew(temporary, path))
      throw planOutdated(path, 'somebody has made such a file meanwhile')
  },
  async look(place, stored) {
    for (const tag of ['do', 'undo'] as const) removeIfThere(namesOf(place, stored.path, tag).temporary)
    return await standingOf(stored)
  },
  async revert(place, stored) {
    const { path, to, moved, before } = stored
    if (isMoved(path, moved)) {
      if (isMoved(to, moved)) removeSpare(to)
    } else if (isMoved(to, moved)) {
      // A file takes the place of the new one in one step; nothing else can.
      if (moved.kind === 'file' && statIfThere(path) !== undefined) return renameTo(to, path)
      removeSpare(path)
      renameFree(to, path)
    } else if (before !== null) await putBackCopy(place, stored)
  },
  async assertUndoable({ vault }, stored) {
    const standing = await standingOf(stored)
    if (standing.at === 'after') return
    const kept = stored.before === null ? stored.to : join(vault.folder, stored.before.backup)
    throw undoConflict(stored.path, standing.at === 'other' ? standing.text : 'is not as the repair left it', kept)
  },
  async finish() {},
  filesBefore: ({ before }) => (before === null ? [] : [before]),
}

/** The mode and time of a new file, as far as they are given. */
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
  if (stats === undefined) throw planOutdated(path, 'it does not exist any more')
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

/** What lies in a folder may change, and with it the folder's time. */
function isMoved(path: string, moved: StoredMove['moved']): boolean {
  const stats = statIfThere(path)
  if (stats === undefined || String(stats.ino) !== moved.inode || String(stats.dev) !== moved.device) return false
  return moved.kind === 'folder' || (Number(stats.size) === moved.size && String(stats.mtimeNs) === moved.modifiedNs)
}

async function standingOf(stored: StoredMove): Promise<Standing> {
  const { path, to, moved, before, instead } = stored
  const there = statIfThere(path)
  if (isMoved(path, moved)) return { at: isMoved(to, moved) ? 'between' : 'before' }
  const hasArrived = isMoved(to, moved)
  if (instead !== null && there?.isFile() === true && (await holds(path, instead.sizeAfter, instead.sha256After)))
    return hasArrived || before !== null
      ? { at: 'after' }
      : { at: 'other', text: `was moved to ${to}, and is not there any more` }
  if (there !== undefined) return { at: 'other', text: 'has been made anew or changed since' }
  if (!hasArrived) return { at: 'other', text: `was moved to ${to}, and has been changed there since` }
  return { at: instead === null ? 'after' : 'between' }
}

/** False on a file system that knows no second names. */
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

/** Never over something that is there; only a folder that is made in this very moment, and is empty, could be missed. */
function renameFree(path: string, to: string): void {
  if (statIfThere(to) !== undefined) throw taken(to)
  renameTo(path, to)
  if (dirname(path) === dirname(to)) return
  try {
    files().syncFolder(dirname(path))
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

/** Somebody may have put another file there in the very moment. */
function assertArrived({ path, to, moved }: StoredMove): void {
  if (isMoved(to, moved)) return
  if (statIfThere(path) === undefined) renameTo(to, path)
  else removeSpare(to)
  throw planOutdated(path, 'it was replaced in the very moment it was moved')
}

/** The file as it was, though it is not any more where it was put. */
async function putBackCopy(place: Place, { path, before }: StoredMove): Promise<void> {
  if (before === null) return
  const { temporary } = namesOf(place, path, 'undo')
  await withBackup(place.vault, before, backup =>
    withHandle(temporary, 'create', async fresh => {
      await fillFromBackup(fresh, backup, before)
      syncHandle(fresh)
    }),
  )
  renameTo(temporary, path)
}

function taken(to: string) {
  return planOutdated(to, 'somebody has made something of this name meanwhile')
}

function namesOf({ vault, index }: Place, path: string, tag: 'do' | 'undo') {
  return swapNames(path, vault.receipt.id, index, tag)
}
