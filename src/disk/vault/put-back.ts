// Puts a file where none exists, without ever overwriting one that was created meanwhile; and checks whether
// a file is still, or again, what the receipt says it was.
import { dirname } from 'node:path'
import { copyRange, type Handle, hashUpTo, statIfThere, syncHandle, withHandle } from '../files/handles.ts'
import { keepOwnerAndMode } from '../files/replace.ts'
import { CANNOT_LINK, renameTo } from '../files/swap-settle.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, systemCode } from '../files/system-errors.ts'
import { makeFolder, removeIfThere } from '../state/own-files.ts'
import { withBackup } from './backup.ts'
import type { FileBefore, HashedFile } from './receipt.ts'
import type { StepContext } from './steps/step.ts'

/** False where something exists already. Then nothing was done, and the temporary file is still there. */
export function placeNew(temporary: string, path: string): boolean {
  try {
    files().link(temporary, path)
    files().unlink(temporary)
    files().syncFolder(dirname(path))
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    if (!CANNOT_LINK.has(systemCode(error))) throw fromWriteError(error, path)
    if (statIfThere(path) !== undefined) return false
    renameTo(temporary, path)
    return true
  }
}

/** Creates a file with the content that `write` provides. False where something exists already. */
export async function createBeside(
  temporary: string,
  path: string,
  write: (fresh: Handle) => void | Promise<void>,
): Promise<boolean> {
  makeFolder(dirname(path))
  await withHandle(temporary, 'create', async fresh => {
    await write(fresh)
    syncHandle(fresh)
  })
  const isPlaced = placeNew(temporary, path)
  if (!isPlaced) removeIfThere(temporary)
  return isPlaced
}

/**
 * Like `createBeside`, with a file that is complete and synced already. Undefined,
 * and nothing done, where that is on another disk.
 */
export function moveBeside(
  complete: string,
  temporary: string,
  path: string,
  finish: (fresh: Handle) => void,
): Promise<boolean> | undefined {
  makeFolder(dirname(path))
  try {
    files().rename(complete, temporary)
  } catch (error) {
    if (systemCode(error) === 'EXDEV') return undefined
    throw fromWriteError(error, temporary)
  }
  return withHandle(temporary, 'write', fresh => {
    finish(fresh)
    const isPlaced = placeNew(temporary, path)
    if (!isPlaced) removeIfThere(temporary)
    return isPlaced
  })
}

/** Restores a file from its copy in the vault, with its mode, owner and times. */
export async function restoreFile(context: StepContext, before: FileBefore, temporary: string): Promise<boolean> {
  return await withBackup(context.vault, before, backup =>
    createBeside(temporary, before.path, async fresh => {
      await fillFromBackup(fresh, backup, before)
    }),
  )
}

export async function fillFromBackup(fresh: Handle, backup: Handle, before: FileBefore): Promise<void> {
  await copyRange(backup, 0, before.size, fresh, 0)
  keepOwnerAndMode(fresh, before)
  try {
    files().setTimes(fresh.fd, BigInt(before.accessedNs), BigInt(before.modifiedNs))
  } catch (error) {
    throw fromWriteError(error, fresh.path)
  }
}

/** The same file (inode), unchanged. */
export function isAsBefore(path: string, before: FileBefore): boolean {
  const stats = statIfThere(path)
  return (
    stats !== undefined &&
    String(stats.ino) === before.inode &&
    String(stats.dev) === before.device &&
    Number(stats.size) === before.size &&
    String(stats.mtimeNs) === before.modifiedNs
  )
}

/** Any file with exactly these bytes. */
export async function hasContent(path: string, size: number, sha256: string): Promise<boolean> {
  const stats = statIfThere(path)
  if (stats === undefined || Number(stats.size) !== size) return false
  return (await withHandle(path, 'read', file => hashUpTo(file, size))) === sha256
}

export async function hasOriginalContent(path: string, before: HashedFile): Promise<boolean> {
  return isAsBefore(path, before) || (await hasContent(path, before.size, before.sha256))
}
