// A full copy of a file, on the disk and verified against the original.
import { createHash, type Hash } from 'node:crypto'
import { dirname } from 'node:path'
import type { ByteEdit } from '../../model/plan.ts'
import { chunksAhead, chunksOf, copyRange, type Handle, statHandle, withHandle } from '../files/handles.ts'
import { pace } from '../files/pace.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError } from '../files/system-errors.ts'
import { hasConnections } from '../sqlite/database-files.ts'
import { planOutdated } from './errors.ts'

export interface Hashes {
  sha256: string
  /** That of the edited file. */
  sha256After: string
}

/** Copies the first `size` bytes. Throws `plan-outdated` where they change meanwhile. */
export async function copyVerified(
  source: Handle,
  size: number,
  copy: string,
  edits: readonly ByteEdit[],
): Promise<Hashes> {
  await copyWhole(source, size, copy)
  // The disk stores the copy while it is compared.
  const syncing = syncCopy(copy)
  const hashing = withHandle(copy, 'read', handle => hashChecked(source, handle, size, edits))
  // Both have ended before the caller removes the copy of a repair that failed.
  await Promise.allSettled([syncing, hashing])
  await syncing
  return await hashing
}

/** What a thread needs to know to copy a file that its caller has examined. */
export interface CopyOrder {
  path: string
  device: string
  inode: string
  size: number
  copy: string
}

/** The same in a thread of its own. Returns the hash. The caller proves that the file has not changed since its plan. */
export async function copyOrdered({ path, device, inode, size, copy }: CopyOrder): Promise<string> {
  return await withHandle(path, 'read', async source => {
    const stats = statHandle(source)
    if (String(stats.dev) !== device || String(stats.ino) !== inode)
      throw planOutdated(path, 'another file has taken its place')
    const { sha256 } = await copyVerified(source, size, copy, [])
    return sha256
  })
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
async function hashChecked(source: Handle, copy: Handle, size: number, edits: readonly ByteEdit[]): Promise<Hashes> {
  const firstEdit = edits[0]?.start ?? size
  const hash = createHash('sha256')
  await feed(hash, sameChunks(source, copy, 0, firstEdit))
  const after = hash.copy()
  await feed(hash, sameChunks(source, copy, firstEdit, size))
  await feed(after, pace(splice(copy, size, edits, firstEdit)))
  return { sha256: hash.digest('hex'), sha256After: after.digest('hex') }
}

export async function hashEdited(file: Handle, size: number, edits: readonly ByteEdit[]): Promise<string> {
  const hash = createHash('sha256')
  await feed(hash, pace(splice(file, size, edits)))
  return hash.digest('hex')
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
