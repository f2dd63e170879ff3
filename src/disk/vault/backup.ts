// Full copies into the vault, each verified against the original.
import type { BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import type { ByteEdit } from '../../model/plan.ts'
import { type Handle, openHandle, statHandle, withHandle } from '../files/handles.ts'
import { closeDescriptor } from '../sqlite/database-files.ts'
import type { CopiedAhead } from './copy-ahead.ts'
import { copyVerified, type Hashes, hashCopy, hashEdited } from './copy-file.ts'
import { assertStillFits, type Fit } from './plan-fit.ts'
import type { FileBefore, HashedFile } from './receipt.ts'
import { safeName, type Vault } from './vault.ts'

export type CopiedFile = Omit<HashedFile, 'sha256'>

/** Copies the file if it is still the one that was planned for, and hashes the copy. */
export async function backUp(vault: Vault, index: number, fit: Fit): Promise<HashedFile> {
  const before = await copyToVault(vault, index, fit)
  const { sha256 } = await withBackup(vault, before, backup => hashCopy(backup, before.size, []))
  return { ...before, sha256 }
}

/** Only copies it. A copy that was made ahead is used where it fits. */
export async function copyToVault(vault: Vault, index: number, fit: Fit, ahead?: CopiedAhead): Promise<CopiedFile> {
  const { path } = fit
  const backup = backupName(index, path)
  const copied = await ahead?.copied(path, backup)
  if (copied !== undefined) {
    assertStillFits(fit, copied)
    return { path, ...fileMetadataOf(copied), backup }
  }
  const source = openHandle(path, 'read')
  try {
    const stats = statHandle(source)
    assertStillFits(fit, stats)
    await copyVerified(source, Number(stats.size), join(vault.folder, backup))
    return { path, ...fileMetadataOf(stats), backup }
  } finally {
    closeDescriptor(source.fd)
  }
}

/** The hash of the copy, and that of the file after the edits. The thread that has copied the file shares the work. */
export async function hashEditedCopy(
  vault: Vault,
  before: CopiedFile,
  edits: readonly ByteEdit[],
  ahead?: CopiedAhead,
): Promise<Hashes> {
  return await withBackup(vault, before, async backup => {
    const hashing = ahead?.hash(before.backup, before.size)
    if (hashing === undefined) return await hashCopy(backup, before.size, edits)
    const sha256After = await hashEdited(backup, before.size, edits)
    return { sha256: (await hashing) ?? (await hashEdited(backup, before.size, [])), sha256After }
  })
}

/** Inside the folder of the vault. */
export function backupName(index: number, path: string): string {
  return `backup/${index}-${safeName(basename(path))}`
}

export function fileMetadataOf(stats: BigIntStats): Omit<CopiedFile, 'path' | 'backup'> {
  return {
    device: String(stats.dev),
    inode: String(stats.ino),
    size: Number(stats.size),
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    accessedNs: String(stats.atimeNs),
    modifiedNs: String(stats.mtimeNs),
  }
}

export async function withBackup<T>(
  vault: Pick<Vault, 'folder'>,
  before: Pick<FileBefore, 'backup'>,
  use: (backup: Handle) => Promise<T>,
): Promise<T> {
  return await withHandle(join(vault.folder, before.backup), 'read', use)
}
