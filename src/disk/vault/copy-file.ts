// A full copy of a file, on the disk and verified against the original.
import { createHash, type Hash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { dirname } from 'node:path'
import type { RethreadError } from '../../model/errors.ts'
import type { ByteEdit } from '../../model/plan.ts'
import {
  chunksOf,
  closeHandle,
  findDifference,
  type Handle,
  openHandle,
  readAt,
  statHandle,
  withHandle,
  writeAll,
} from '../files/handles.ts'
import { pace } from '../files/pace.ts'
import { identityOf } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError } from '../files/system-errors.ts'
import { hasConnections } from '../sqlite/database-files.ts'
import { planOutdated } from './errors.ts'

/** Copies the first `size` bytes. Throws `plan-outdated` where they change meanwhile. */
export async function copyVerified(source: Handle, size: number, copy: string): Promise<void> {
  const lookedAt = Date.now()
  const stats = statHandle(source)
  const isCloned = cloneWhole(source, size, copy)
  const syncing = new CopySync(copy)
  try {
    await withHandle(copy, isCloned ? 'read' : 'create', async to => {
      await copyCompared(source, size, to, isCloned ? undefined : syncing)
      if (!isSameSince(source, stats, lookedAt)) await assertSame(source, to, size)
    })
    await syncing.finish()
  } finally {
    // Before the caller removes the copy of a repair that failed.
    await syncing.settle()
  }
}

/** What a thread needs to know to copy a file that its caller has examined. */
export interface CopyOrder {
  path: string
  device: string
  inode: string
  size: number
  copy: string
}

/** The same in a thread of its own. The caller proves that the file has not changed since its plan. */
export async function copyOrdered({ path, device, inode, size, copy }: CopyOrder): Promise<void> {
  await withHandle(path, 'read', async source => {
    const stats = statHandle(source)
    if (String(stats.dev) !== device || String(stats.ino) !== inode)
      throw planOutdated(path, 'another file has taken its place')
    await copyVerified(source, size, copy)
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

/**
 * False where the file system cannot share blocks. It closes the file, and database connections of this process would
 * lose their locks.
 */
function cloneWhole(source: Handle, size: number, copy: string): boolean {
  if (hasConnections()) return false
  try {
    files().clone(source.path, copy)
  } catch {
    // If something else is wrong, the copy byte by byte reports it.
    return false
  }
  try {
    files().chmod(copy, 0o600)
    // Bytes appended meanwhile are not part of what was read.
    const to = openHandle(copy, 'write')
    try {
      if (Number(statHandle(to).size) > size) files().truncate(to.fd, size)
    } finally {
      closeHandle(to)
    }
    return true
  } catch (error) {
    throw fromWriteError(error, copy)
  }
}

/** So little stays in the cache of the processor while it is read, written, read back and compared. */
export const COPY_BYTES = 128 * 1024

/**
 * Reads each chunk once, writes it, unless the copy is there already, and compares it with what can be read from the
 * copy then.
 */
async function copyCompared(source: Handle, size: number, to: Handle, syncing: CopySync | undefined): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, size))
  let at = 0
  for await (const chunk of pace(chunksOf(source, 0, size, COPY_BYTES))) {
    if (syncing !== undefined) writeAll(to, chunk, at)
    if (!readAt(to, at, buffer.subarray(0, chunk.length)).equals(chunk)) break
    at += chunk.length
    syncing?.wrote(at)
  }
  if (at < size) throw changedMeanwhile(source, at)
}

/** Changes that are closer together may leave the same time. Some file systems store only whole seconds. */
const [CLOCK_MS, COARSE_CLOCK_MS] = [100, 2000] as const
const SECOND_NS = 1_000_000_000n

/** Whether no other program can have written the file since it was looked at. */
function isSameSince(source: Handle, stats: BigIntStats, lookedAt: number): boolean {
  const clockMs = stats.ctimeNs % SECOND_NS === 0n ? COARSE_CLOCK_MS : CLOCK_MS
  const wasSettled = lookedAt - Number(stats.ctimeMs) > clockMs
  return wasSettled && identityOf(statHandle(source)).mark === identityOf(stats).mark
}

/** A file that has only grown is the same up to its old size. */
async function assertSame(source: Handle, copy: Handle, size: number): Promise<void> {
  const difference = await findDifference(source, copy, 0, size)
  if (difference !== undefined) throw changedMeanwhile(source, difference)
}

function changedMeanwhile({ path }: Handle, offset: number): RethreadError {
  return planOutdated(path, 'it changed while it was being copied', offset)
}

/** So many bytes are written between two syncs. With fewer, writing waits for the disk too often. */
export const SYNCED_BYTES = 64 * 1024 * 1024

/** Has the disk store a copy while the rest of it is made. */
class CopySync {
  readonly #copy: string
  #running: Promise<void> | undefined
  #failed: { error: unknown } | undefined
  #synced = 0

  constructor(copy: string) {
    this.#copy = copy
  }

  /** The first bytes of the copy are written. */
  wrote(bytes: number): void {
    if (this.#running !== undefined || bytes - this.#synced < SYNCED_BYTES) return
    this.#synced = bytes
    this.#running = this.#sync()
  }

  /** When all is written. Throws if any of the syncs failed. */
  async finish(): Promise<void> {
    await this.settle()
    await this.#sync()
    if (this.#failed !== undefined) throw fromWriteError(this.#failed.error, this.#copy)
    try {
      files().syncFolder(dirname(this.#copy))
    } catch (error) {
      throw fromWriteError(error, this.#copy)
    }
  }

  /** Waits until nothing is done in the background any more. */
  async settle(): Promise<void> {
    await this.#running
  }

  async #sync(): Promise<void> {
    try {
      await files().syncTogether([this.#copy], 'files')
    } catch (error) {
      this.#failed ??= { error }
    } finally {
      this.#running = undefined
    }
  }
}

export interface Hashes {
  sha256: string
  /** That of the edited file. */
  sha256After: string
}

/**
 * The hash of a copy, and that of the edited file. Up to the first edit the two are equal, so only the rest is hashed
 * twice.
 */
export async function hashCopy(copy: Handle, size: number, edits: readonly ByteEdit[]): Promise<Hashes> {
  const firstEdit = edits[0]?.start ?? size
  const hash = createHash('sha256')
  await feed(hash, pace(chunksOf(copy, 0, firstEdit)))
  const after = hash.copy()
  await feed(hash, pace(chunksOf(copy, firstEdit, size)))
  await feed(after, pace(splice(copy, size, edits, firstEdit)))
  return { sha256: hash.digest('hex'), sha256After: after.digest('hex') }
}

export async function hashEdited(file: Handle, size: number, edits: readonly ByteEdit[]): Promise<string> {
  const hash = createHash('sha256')
  await feed(hash, pace(splice(file, size, edits)))
  return hash.digest('hex')
}

async function feed(hash: Hash, pieces: AsyncGenerator<Buffer, void, void>): Promise<void> {
  for await (const piece of pieces) hash.update(piece)
}
