// Byte edits in one file: in place where they keep the length, else by a new file that takes over everything
// that was not edited.
import { join } from 'node:path'
import type { ByteEdit, Patch } from '../../../model/plan.ts'
import {
  findDifference,
  type Handle,
  hashUpTo,
  readRange,
  statHandle,
  statIfThere,
  withHandle,
  writeAll,
} from '../../files/handles.ts'
import { pace } from '../../files/pace.ts'
import {
  assertSameFile,
  finishInPlace,
  inspectInPlace,
  patchInPlace,
  revertInPlace,
} from '../../files/patch-in-place.ts'
import { putBackContent, replaceContent } from '../../files/replace.ts'
import { settleSwap, swapNames } from '../../files/swap-settle.ts'
import { assertNotOpenElsewhere } from '../../processes/writers.ts'
import { copyToVault, hashEditedCopy, withBackup } from '../backup.ts'
import { splice } from '../copy-file.ts'
import { planOutdated, undoConflict } from '../errors.ts'
import { assertEditsFit } from '../plan-fit.ts'
import type { StoredPatch } from '../receipt.ts'
import { storeEdits } from '../stored-edits.ts'
import { readStored, type Vault } from '../vault.ts'
import type { ChangeState, ChangeStep, StepContext } from './step.ts'

export const patchStep: ChangeStep<StoredPatch, Patch> = {
  async prepare({ vault, index, ahead }, { edits }, fit) {
    const way = wayOf(edits)
    if (way === 'rewrite') await assertNotOpenElsewhere(fit, false)
    const before = await copyToVault(vault, index, fit, ahead)
    const stored = await withBackup(vault, before, backup => {
      assertEditsFit(backup, before.size, edits, true)
      return storeEdits(vault, index, fit.path, backup, edits)
    })
    const patched = { type: 'patch' as const, sizeAfter: sizeAfter(before.size, edits), edits: stored }
    if (way === 'in-place') return { ...patched, way, before }
    const { sha256, sha256After } = await hashEditedCopy(vault, before, edits, ahead)
    return { ...patched, way, before: { ...before, sha256 }, sha256After }
  },
  async apply(context, stored, { edits }) {
    if (stored.way === 'in-place') await patchInPlace(context, stored, edits)
    else await rewrite(context, stored, edits)
  },
  async inspect(context, stored) {
    return stored.way === 'in-place' ? await inspectInPlace(context, stored) : await inspectRewritten(context, stored)
  },
  async revert(context, stored) {
    if (stored.way === 'in-place') await revertInPlace(context, stored)
    else await putBackContent(context, stored.before, stored.sizeAfter, 'carry')
  },
  async assertUndoable({ vault }, stored) {
    const { path, backup } = stored.before
    const copy = join(vault.folder, backup)
    if (statIfThere(path) === undefined) throw undoConflict(path, 'no longer exists', copy)
    if (!(await isAsPatched(vault, stored)))
      throw undoConflict(path, 'has been changed since, and not only added to', copy)
  },
  async finish(_, stored) {
    if (stored.way === 'in-place') await finishInPlace(stored)
  },
  filesBefore: ({ before }) => [before],
}

/** Whether the file still begins with what the edits made of it. */
export async function isAsPatched(vault: Pick<Vault, 'folder'>, stored: StoredPatch): Promise<boolean> {
  const { before, sizeAfter, sha256After, edits } = stored
  return await withHandle(before.path, 'read', async file => {
    if (sha256After !== undefined) return (await hashUpTo(file, sizeAfter)) === sha256After
    return await withBackup(vault, before, async backup => {
      let at = 0
      for (const { start, end, new: fresh } of edits) {
        if ((await findDifference(file, backup, at, start)) !== undefined) return false
        if (!readRange(file, start, end).equals(await readStored(vault, fresh))) return false
        at = end
      }
      return (await findDifference(file, backup, at, before.size)) === undefined
    })
  })
}

function wayOf(edits: readonly ByteEdit[]): StoredPatch['way'] {
  return edits.every(({ start, end, bytes }) => bytes.length === end - start) ? 'in-place' : 'rewrite'
}

function sizeAfter(size: number, edits: readonly ByteEdit[]): number {
  return edits.reduce((sum, edit) => sum + edit.bytes.length - (edit.end - edit.start), size)
}

async function rewrite(
  context: StepContext,
  { before, sizeAfter }: StoredPatch,
  edits: readonly ByteEdit[],
): Promise<void> {
  await withBackup(context.vault, before, async backup => {
    await replaceContent(context, {
      before,
      tag: 'do',
      oldSize: before.size,
      freshSize: sizeAfter,
      late: 'carry',
      // From the copy, which is known to be the planned content.
      write: fresh => writePieces(fresh, splice(backup, before.size, edits)),
      async assertOld(old) {
        assertSameFile(old, before)
        if (String(statHandle(old).mtimeNs) === before.modifiedNs) return
        const difference = await findDifference(old, backup, 0, before.size)
        if (difference !== undefined)
          throw planOutdated(before.path, 'it was changed, and not only added to', difference)
      },
    })
  })
}

async function inspectRewritten({ vault, index }: StepContext, stored: StoredPatch): Promise<ChangeState> {
  const { before, sizeAfter, sha256After } = stored
  const { path } = before
  const swap = (tag: 'do' | 'undo', oldSize: number, freshSize: number) =>
    settleSwap({
      path,
      names: swapNames(path, vault.receipt.id, index, tag),
      oldSize,
      freshSize,
      before,
      late: 'carry',
    })
  await swap('do', before.size, sizeAfter)
  await swap('undo', sizeAfter, before.size)
  const stats = statIfThere(path)
  if (stats === undefined) return { at: 'other', text: 'no longer exists' }
  if (String(stats.ino) === before.inode && String(stats.dev) === before.device) return { at: 'before' }
  return await withHandle(path, 'read', async file => {
    // In this order: a file that only grew starts with its old content.
    if (sha256After !== undefined && (await hashUpTo(file, sizeAfter)) === sha256After) return { at: 'after' }
    const { sha256 } = before
    if (sha256 !== undefined && (await hashUpTo(file, before.size)) === sha256) return { at: 'before' }
    return { at: 'other', text: 'is another file now' }
  })
}

async function writePieces(fresh: Handle, pieces: Generator<Buffer, void, void>): Promise<void> {
  let at = 0
  for await (const piece of pace(pieces)) {
    writeAll(fresh, piece, at)
    at += piece.length
  }
}
