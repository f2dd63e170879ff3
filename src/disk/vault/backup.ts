// Full copies into the vault, each verified against the original.
import { createHash, type Hash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ByteEdit } from '../../model/plan.ts'
import { chunksAhead, chunksOf, copyRange, type Handle, openHandle, statHandle, withHandle } from '../files/handles.ts'
import { pace } from '../files/pace.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError } from '../files/system-errors.ts'
import { closeDescriptor, hasConnections } from '../sqlite/database-files.ts'
import { planOutdated } from './errors.ts'
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
 * after them.
 */
export async function backUp(
  vault: Vault,
  index: number,
  fit: Fit,
  edits: readonly ByteEdit[] = [],
): Promise<BackedUp> {
  const { path } = fit
  const source = openHandle(path, 'read')
  try {
    const stats = statHandle(source)
    assertStillFits(fit, stats)
    const name = `backup/${index}-${safeName(basename(path))}`
    const copy = join(vault.folder, name)
    await copyWhole(source, Number(stats.size), copy)
    // The disk stores the copy while it is compared.
    const syncing = syncCopy(copy)
    const hashing = withHandle(copy, 'read', handle => hashChecked(source, handle, Number(stats.size), edits))
    // Both have ended before the caller removes the copy of a repair that failed.
    await Promise.allSettled([syncing, hashing])
    await syncing
    const { sha256, sha256After } = await hashing
    const before = { path, ...fileMetadataOf(stats), sha256, backup: name }
    return { before, sizeAfter: sizeAfter(before.size, edits), sha256After }
  } finally {
    closeDescriptor(source.fd)
  }
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

/**
 * The edited file in pieces, from an offset at or before the first edit. A piece is valid until the next one
 * is requested.
 */
export function* splice(
  file: Handle,
  size: number,
  edits: readonly ByteEdit[],
  from = 0,
): Generator<Buffer, void, void> {
  let at = from
  for (const edit of edits) {
    yield* chunksOf(file, at, edit.start)
    if (edit.bytes.length > 0) yield edit.bytes
    at = edit.end
  }
  yield* chunksOf(file, at, size)
}

function sizeAfter(size: number, edits: readonly ByteEdit[]): number {
  return edits.reduce((sum, edit) => sum + edit.bytes.length - (edit.end - edit.start), size)
}

export async function withBackup<T>(
  vault: Pick<Vault, 'folder'>,
  before: FileBefore,
  use: (backup: Handle) => Promise<T>,
): Promise<T> {
  return await withHandle(join(vault.folder, before.backup), 'read', use)
}

async function copyWhole(source: Handle, size: number, copy: string): Promise<void> {
  try {
    // A copy by the system shares blocks where it can, but closes the file, and the database connections of
    // this process would lose their locks.
    if (hasConnections()) {
      await withHandle(copy, 'create', to => copyRange(source, 0, size, to, 0))
    } else {
      files().copy(source.path, copy)
      files().chmod(copy, 0o600)
    }
    await withHandle(copy, 'write', to => {
      // Bytes appended during the copy are not part of what was read.
      if (Number(statHandle(to).size) > size) files().truncate(to.fd, size)
    })
  } catch (error) {
    throw fromWriteError(error, copy)
  }
}

async function syncCopy(copy: string): Promise<void> {
  try {
    await files().syncTogether([copy], 'files')
    files().syncFolder(dirname(copy))
  } catch (error) {
    throw fromWriteError(error, copy)
  }
}

/**
 * Compares both files byte by byte and returns their hash, and the hash of the edited file. Up to the first
 * edit the two are equal, so only the rest is hashed twice.
 */
async function hashChecked(
  source: Handle,
  copy: Handle,
  size: number,
  edits: readonly ByteEdit[],
): Promise<{ sha256: string; sha256After: string }> {
  const firstEdit = edits[0]?.start ?? size
  const hash = createHash('sha256')
  await feed(hash, sameChunks(source, copy, 0, firstEdit))
  const after = hash.copy()
  await feed(hash, sameChunks(source, copy, firstEdit, size))
  await feed(after, pace(splice(copy, size, edits, firstEdit)))
  return { sha256: hash.digest('hex'), sha256After: after.digest('hex') }
}

async function* sameChunks(
  source: Handle,
  copy: Handle,
  start: number,
  end: number,
): AsyncGenerator<Buffer, void, void> {
  const copied = chunksAhead(copy, start, end)
  let at = start
  try {
    for await (const chunk of chunksAhead(source, start, end)) {
      const { value } = await copied.next()
      if (value?.subarray(0, chunk.length).equals(chunk) !== true) break
      at += chunk.length
      yield chunk
    }
  } finally {
    await copied.return()
  }
  if (at < end) throw planOutdated(source.path, 'it changed while it was being copied', at)
}

async function feed(hash: Hash, pieces: AsyncGenerator<Buffer, void, void>): Promise<void> {
  for await (const piece of pieces) hash.update(piece)
}
