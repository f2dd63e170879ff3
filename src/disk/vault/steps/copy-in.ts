// Rewrites a file from a copy of rethread, as a stream. The receipt records it as a written file, and it is
// undone like one.
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { RethreadError } from '../../../model/errors.ts'
import { copyRange, type Handle, hashUpTo, statHandle, syncHandle, withHandle, writeAll } from '../../files/handles.ts'
import { keepOwnerAndMode, replaceContent } from '../../files/replace.ts'
import { swapNames } from '../../files/swap-settle.ts'
import { files } from '../../files/system-calls.ts'
import { fromWriteError, quote } from '../../files/system-errors.ts'
import { assertNotOpenElsewhere } from '../../processes/writers.ts'
import { removeIfThere } from '../../state/own-files.ts'
import { backUp } from '../backup.ts'
import type { Fit } from '../plan-fit.ts'
import { moveBeside } from '../put-back.ts'
import type { StoredWrite } from '../receipt.ts'
import { safeName } from '../vault.ts'
import type { ChangeStep, CopyIn, StepContext, StreamIn } from './step.ts'
import { assertPlaced, writeNew } from './write-file.ts'

/** What is hashed is still in the cache of the processor when it is written. */
const SLICE_BYTES = 256 * 1024
/** Smaller ones may share their memory with others. */
const OWN_BUFFER_BYTES = 1024 * 1024

export const copyInStep: Pick<ChangeStep<StoredWrite, CopyIn>, 'prepare' | 'apply'> = {
  async prepare(context, input, fit) {
    const { path } = fit
    const { damage, reason, size, sha256 } = input
    const before = await backUpOld(context, fit)
    const name = await keepCopy(context, input, path)
    const stored = { file: name, start: 0, length: size }
    return { type: 'write', damage, reason, path, before, sizeAfter: size, sha256After: sha256, new: stored }
  },
  async apply(context, stored, input) {
    await fillFromVault(context, stored, input)
  },
}

/** The file is written once, in the vault, and gets its place from there: the archive keeps the content. */
export const streamInStep: Pick<ChangeStep<StoredWrite, StreamIn>, 'prepare' | 'apply'> = {
  async prepare(context, input, fit) {
    const { path } = fit
    const { damage, reason, size } = input
    const before = await backUpOld(context, fit)
    const sha256After = await keepStream(context, input, path)
    return { type: 'write', damage, reason, path, before, sizeAfter: size, sha256After }
  },
  async apply(context, stored, input) {
    const kept = join(context.vault.folder, nameOf(context, stored.path))
    if (stored.before === null) {
      const { temporary } = swapNames(stored.path, context.vault.receipt.id, context.index, 'do')
      context.touch()
      const isPlaced = await moveBeside(kept, temporary, input.file, fresh => {
        keepOwnerAndMode(fresh, input.owner)
        setCurrentTime(fresh)
      })
      if (isPlaced !== undefined) return assertPlaced(context, input.file, isPlaced)
    }
    await fillFromVault(context, stored, input)
    removeIfThere(kept)
  },
}

async function backUpOld({ vault, index }: StepContext, fit: Fit): Promise<StoredWrite['before']> {
  await assertNotOpenElsewhere(fit, false)
  return fit.identity === undefined ? null : await backUp(vault, index, fit)
}

async function fillFromVault(
  context: StepContext,
  { path, before, sizeAfter }: StoredWrite,
  { owner, file, isTouched }: Pick<CopyIn, 'owner' | 'file' | 'isTouched'>,
): Promise<void> {
  await withHandle(join(context.vault.folder, nameOf(context, path)), 'read', async kept => {
    const write = async (fresh: Handle) => void (await copyRange(kept, 0, sizeAfter, fresh, 0))
    if (before !== null)
      return await replaceContent(context, {
        before,
        tag: 'do',
        oldSize: before.size,
        freshSize: sizeAfter,
        late: 'refuse',
        ...(isTouched === true ? { isTouched } : {}),
        write,
      })
    // With the current time: agents delete old files, and would delete it again.
    await writeNew(context, file, async fresh => {
      await write(fresh)
      keepOwnerAndMode(fresh, owner)
    })
  })
}

/** Returns the hash of what was written. */
async function keepStream(context: StepContext, { read, size }: StreamIn, path: string): Promise<string> {
  const hash = createHash('sha256')
  const kept = join(context.vault.folder, nameOf(context, path))
  await withHandle(kept, 'create', async handle => {
    let at = 0
    for await (const piece of read()) {
      for (let start = 0; start < piece.length; start += SLICE_BYTES) {
        const slice = piece.subarray(start, start + SLICE_BYTES)
        hash.update(slice)
        writeAll(handle, slice, at)
        at += slice.length
      }
      release(piece)
    }
    if (at !== size) throw damaged(kept)
    syncHandle(handle)
  })
  return hash.digest('hex')
}

/** At once: with many large pieces, the garbage collector would use more time than the hash. */
function release({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= OWN_BUFFER_BYTES) buffer.transfer(0)
}

/** Agents delete old files, and it may have taken a while to write this one. */
function setCurrentTime(fresh: Handle): void {
  const now = BigInt(Date.now()) * 1_000_000n
  try {
    files().setTimes(fresh.fd, now, now)
  } catch (error) {
    throw fromWriteError(error, fresh.path)
  }
}

/** Copied into the vault: an undo must not depend on a copy that is removed earlier. */
async function keepCopy(context: StepContext, { from, size, sha256 }: CopyIn, path: string): Promise<string> {
  const name = nameOf(context, path)
  const kept = join(context.vault.folder, name)
  try {
    files().copy(from, kept)
    files().chmod(kept, 0o600)
    files().syncFolder(dirname(kept))
  } catch (error) {
    throw fromWriteError(error, kept)
  }
  await withHandle(kept, 'write', async handle => {
    syncHandle(handle)
    if (Number(statHandle(handle).size) !== size || (await hashUpTo(handle, size)) !== sha256) throw damaged(from)
  })
  return name
}

function nameOf({ index }: StepContext, path: string): string {
  return `added/${index}-${safeName(basename(path))}`
}

function damaged(path: string): RethreadError {
  return new RethreadError({
    code: 'repair-failed',
    text: `${path} is no longer the copy that was made, so it was not restored.`,
    hint: `Nothing was changed. See what is left of it: ls -l ${quote(path)}`,
    path,
  })
}
