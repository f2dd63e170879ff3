// Full copies into the vault, each verified against the original.
import type { BigIntStats } from 'node:fs'
import { basename, join } from 'node:path'
import type { ByteEdit } from '../../model/plan.ts'
import { type Handle, openHandle, statHandle, withHandle } from '../files/handles.ts'
import { closeDescriptor } from '../sqlite/database-files.ts'
import type { CopiedAhead } from './copy-ahead.ts'
import { copyVerified, hashEdited } from './copy-file.ts'
import { assertStillFits, type Fit } from './plan-fit.ts'
import type { FileBefore } from './receipt.ts'
import { safeName, type Vault } from './vault.ts'

export interface BackedUp {
  before: FileBefore
  sizeAfter: number
  sha256After: string
}

/**
 * Copies the file if it is still the one that was planned for. With edits, also computes what it will be
 * after them. A copy that was made ahead is used where it fits.
 */
export async function backUp(
  vault: Vault,
  index: number,
  fit: Fit,
  edits: readonly ByteEdit[] = [],
  ahead?: CopiedAhead,
): Promise<BackedUp> {
  const { path } = fit
  const copied = await ahead?.copied(path, backupName(index, path))
  if (copied !== undefined) return await backedUpAhead(vault, index, fit, edits, copied)
  const source = openHandle(path, 'read')
  try {
    const stats = statHandle(source)
    assertStillFits(fit, stats)
    const name = backupName(index, path)
    const { sha256, sha256After } = await copyVerified(source, Number(stats.size), join(vault.folder, name), edits)
    const before = { path, ...fileMetadataOf(stats), sha256, backup: name }
    return { before, sizeAfter: sizeAfter(before.size, edits), sha256After }
  } finally {
    closeDescriptor(source.fd)
  }
}

async function backedUpAhead(
  vault: Vault,
  index: number,
  fit: Fit,
  edits: readonly ByteEdit[],
  { stats, sha256 }: { stats: BigIntStats; sha256: string },
): Promise<BackedUp> {
  assertStillFits(fit, stats)
  const before = { path: fit.path, ...fileMetadataOf(stats), sha256, backup: backupName(index, fit.path) }
  const sha256After =
    edits.length === 0 ? sha256 : await withBackup(vault, before, backup => hashEdited(backup, before.size, edits))
  return { before, sizeAfter: sizeAfter(before.size, edits), sha256After }
}

/** Inside the folder of the vault. */
export function backupName(index: number, path: string): string {
  return `backup/${index}-${safeName(basename(path))}`
}

export function fileMetadataOf(stats: BigIntStats): Omit<FileBefore, 'path' | 'sha256' | 'backup'> {
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

function sizeAfter(size: number, edits: readonly ByteEdit[]): number {
  return edits.reduce((sum, edit) => sum + edit.bytes.length - (edit.end - edit.start), size)
}

export async function withBackup<T>(
  vault: Pick<Vault, 'folder'>,
  before: Pick<FileBefore, 'backup'>,
  use: (backup: Handle) => Promise<T>,
): Promise<T> {
  return await withHandle(join(vault.folder, before.backup), 'read', use)
}
