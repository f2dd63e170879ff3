// Copies a whole folder, also to another disk: bytes, links, modes, owners and times. Each file is compared
// with its original.
import { join } from 'node:path'
import { planOutdated } from '../vault/errors.ts'
import type { TreeEntry } from './folder-tree.ts'
import { closeHandle, copyRange, findDifference, type Handle, statHandle, syncHandle, withHandle } from './handles.ts'
import { openPlain } from './plain-file.ts'
import { keepOwnerAndMode } from './replace.ts'
import { files } from './system-calls.ts'
import { fromWriteError } from './system-errors.ts'

const PERMISSIONS = 0o7777n

/** `to` must not exist. When it returns, everything is synced to the disk. */
export async function copyFolder(from: string, to: string, entries: readonly TreeEntry[]): Promise<void> {
  for (const entry of entries) await copyEntry(join(from, entry.name), join(to, entry.name), entry)
  // Writing into a folder changes its time, and its mode may forbid writing. So folders are finished from the
  // innermost outwards.
  for (const { name, kind, stats } of entries.toReversed()) if (kind === 'folder') finishFolder(join(to, name), stats)
}

async function copyEntry(from: string, to: string, { kind, stats }: TreeEntry): Promise<void> {
  switch (kind) {
    case 'file':
      return await copyFile(from, to, stats)
    case 'folder':
    case 'link':
      try {
        if (kind === 'folder') return files().makeFolder(to)
        files().makeLink(files().readLink(from), to)
        keepOwner(to, stats)
        files().setTimesOf(to, stats.atimeNs, stats.mtimeNs)
      } catch (error) {
        throw fromWriteError(error, to)
      }
  }
}

async function copyFile(from: string, to: string, stats: TreeEntry['stats']): Promise<void> {
  const source = openPlain(from)
  try {
    const size = Number(stats.size)
    await withHandle(to, 'create', async fresh => {
      await copyRange(source, 0, size, fresh, 0)
      keepOwnerAndMode(fresh, {
        uid: Number(stats.uid),
        gid: Number(stats.gid),
        mode: Number(stats.mode & PERMISSIONS),
      })
      keepTimes(fresh, stats)
      syncHandle(fresh)
      await assertCopied(source, fresh, size)
    })
    const now = statHandle(source)
    if (now.ino !== stats.ino || now.size !== stats.size || now.mtimeNs !== stats.mtimeNs)
      throw planOutdated(from, 'it was written to while it was copied')
  } finally {
    closeHandle(source)
  }
}

async function assertCopied(source: Handle, fresh: Handle, size: number): Promise<void> {
  const difference = await findDifference(source, fresh, 0, size)
  if (difference !== undefined) throw planOutdated(source.path, 'it changed while it was copied', difference)
}

function keepTimes({ fd, path }: Handle, { atimeNs, mtimeNs }: TreeEntry['stats']): void {
  try {
    files().setTimes(fd, atimeNs, mtimeNs)
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function finishFolder(path: string, stats: TreeEntry['stats']): void {
  try {
    files().syncFolder(path)
    keepOwner(path, stats)
    files().chmod(path, Number(stats.mode & PERMISSIONS))
    files().setTimesOf(path, stats.atimeNs, stats.mtimeNs)
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function keepOwner(path: string, { uid, gid }: TreeEntry['stats']): void {
  const now = files().lstat(path)
  if (now.uid !== uid || now.gid !== gid) files().chown(path, Number(uid), Number(gid))
}
