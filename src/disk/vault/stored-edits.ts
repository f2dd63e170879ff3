// The edits of a patch as a receipt stores them: small bytes in the receipt itself, large ones in files
// beside it. Removed bytes are also in a plain file that users can read.
import { basename, dirname, join } from 'node:path'
import type { ByteEdit } from '../../model/plan.ts'
import { closeHandle, copyRange, type Handle, openHandle, readRange, syncHandle, writeAll } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError } from '../files/system-errors.ts'
import type { StoredEdit } from './receipt.ts'
import type { StoredBytes } from './stored-schemas.ts'
import { MAX_INLINE_BYTES } from './stored-values.ts'
import { safeName, type Vault } from './vault.ts'

/** The limit for all inline bytes of one patch: a receipt is read and written as a whole. */
const MAX_INLINE_TOTAL_BYTES = 4 * 1024 * 1024
const NEWLINE = Buffer.from('\n')
const NOTHING = Buffer.alloc(0)

/** `backup` is open on the copy of the original file, which is known to have the bytes that the edits replace. */
export async function storeEdits(
  vault: Vault,
  index: number,
  path: string,
  backup: Handle,
  edits: readonly ByteEdit[],
): Promise<StoredEdit[]> {
  const name = `${index}-${safeName(basename(path))}`
  const removed = openBlobFile(vault, `removed/${name}`)
  const added = openBlobFile(vault, `added/${name}`)
  let inline = 0
  const isSmall = (length: number): boolean => {
    if (length > MAX_INLINE_BYTES || inline + length > MAX_INLINE_TOTAL_BYTES) return false
    inline += length
    return true
  }
  const stored: StoredEdit[] = []
  try {
    for (const edit of edits) {
      const { start, end, bytes, damage, reason } = edit
      const old = await storeOld(removed, backup, edit, isSmall)
      const fresh = isSmall(bytes.length) ? inlineBytes(bytes) : added.add(bytes)
      stored.push({ start, end, damage, reason, old, new: fresh })
    }
    removed.flush()
    // Bytes that are also in the receipt need no sync.
    if (stored.some(({ old }) => 'file' in old)) removed.sync()
    added.sync()
    return stored
  } finally {
    removed.close()
    added.close()
  }
}

/** Removed bytes are in the file in any case. */
async function storeOld(
  removed: BlobFile,
  backup: Handle,
  { start, end, old }: ByteEdit,
  isSmall: (length: number) => boolean,
): Promise<StoredBytes> {
  if (start === end) return inlineBytes(NOTHING)
  if (end - start > MAX_INLINE_BYTES) return await removed.addRange(backup, start, end)
  const bytes = old ?? readRange(backup, start, end)
  const kept = removed.add(bytes)
  return isSmall(bytes.length) ? inlineBytes(bytes) : kept
}

/** Stores one value in its own file, or in the receipt where it is small. */
export function storeBytes(vault: Vault, index: number, path: string, bytes: Buffer): StoredBytes {
  if (bytes.length <= MAX_INLINE_BYTES) return inlineBytes(bytes)
  const blobFile = openBlobFile(vault, `added/${index}-${safeName(basename(path))}`)
  try {
    const stored = blobFile.add(bytes)
    blobFile.sync()
    return stored
  } finally {
    blobFile.close()
  }
}

function inlineBytes(bytes: Buffer): StoredBytes {
  return { base64: bytes.toString('base64') }
}

interface BlobFile {
  /** The bytes must stay as they are until the next flush. */
  add(bytes: Buffer): StoredBytes
  addRange(from: Handle, start: number, end: number): Promise<StoredBytes>
  /** Writes what was added. */
  flush(): void
  sync(): void
  close(): void
}

/** Small bytes are written together. */
const MAX_PENDING_BYTES = 256 * 1024

/** Many byte strings in one file, each on its own line. The file is created with the first one. */
function openBlobFile(vault: Vault, name: string): BlobFile {
  let handle: Handle | undefined
  let [size, written] = [0, 0]
  let pending: Buffer[] = []
  const open = (): Handle => {
    handle ??= openHandle(join(vault.folder, name), 'create')
    return handle
  }
  const noteAdded = (length: number): StoredBytes => {
    const stored = { file: name, start: size, length }
    pending.push(NEWLINE)
    size += length + NEWLINE.length
    if (size - written >= MAX_PENDING_BYTES) flush()
    return stored
  }
  const flush = (): void => {
    if (pending.length === 0) return
    const bytes = Buffer.concat(pending)
    writeAll(open(), bytes, written)
    written += bytes.length
    pending = []
  }
  return {
    flush,
    add(bytes) {
      pending.push(bytes)
      return noteAdded(bytes.length)
    },
    async addRange(from, start, end) {
      flush()
      const length = await copyRange(from, start, end, open(), size)
      written += length
      return noteAdded(length)
    },
    sync() {
      flush()
      if (handle === undefined) return
      syncHandle(handle)
      try {
        files().syncFolder(dirname(handle.path))
      } catch (error) {
        throw fromWriteError(error, handle.path)
      }
    },
    close() {
      if (handle !== undefined) closeHandle(handle)
    },
  }
}
