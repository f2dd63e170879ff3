// Removes a file. Its copy is in the vault before, and the file is removed only if it still equals its copy.
import { join } from 'node:path'
import type { RemoveFile } from '../../../model/plan.ts'
import { statIfThere } from '../../files/handles.ts'
import { removeSpare, renameTo, swapNames } from '../../files/swap-settle.ts'
import { files } from '../../files/system-calls.ts'
import { fromWriteError } from '../../files/system-errors.ts'
import { findLastingHolder } from '../../processes/open-handles.ts'
import { assertNotOpenElsewhere, busyError, heldBy } from '../../processes/writers.ts'
import { removeIfThere } from '../../state/own-files.ts'
import { backUp } from '../backup.ts'
import { planOutdated, undoConflict } from '../errors.ts'
import { hasOriginalContent, isAsBefore, placeNew, restoreFile } from '../put-back.ts'
import type { FileBefore, StoredRemove } from '../receipt.ts'
import type { ChangeStep, StepContext } from './step.ts'

const RECREATED = 'has been recreated since'

export const removeStep: ChangeStep<StoredRemove, RemoveFile> = {
  async prepare({ vault, index }, { damage, reason, isDatabase = false }, fit) {
    await assertNotOpenElsewhere(fit, isDatabase)
    const before = await backUp(vault, index, fit)
    return { type: 'remove', damage, reason, isDatabase, before }
  },
  async apply(context, { before, isDatabase }) {
    const { path } = before
    const { temporary } = namesOf(context, path, 'do')
    await assertNotOpenElsewhere({ path, identity: before }, isDatabase)
    if (!isAsBefore(path, before)) throw planOutdated(path, 'it was written to in the meantime')
    context.touch()
    // Moved aside first, so that a process that opened it at the same moment can get it back.
    renameTo(path, temporary)
    const holder = await findLastingHolder([before], { anyHandle: isDatabase })
    if (holder === undefined && isAsBefore(temporary, before)) return removeSpare(temporary)
    if (placeNew(temporary, path)) context.touch(false)
    if (holder !== undefined) throw busyError(path, heldBy(holder, path))
    throw planOutdated(path, 'it was written to in the very moment it was removed')
  },
  async inspect(context, { before }) {
    const { path } = before
    settleAside(context, before)
    removeIfThere(namesOf(context, path, 'undo').temporary)
    return { at: (await hasOriginalContent(path, before)) ? 'before' : 'after' }
  },
  async revert(context, { before }) {
    const isPlaced = await restoreFile(context, before, namesOf(context, before.path, 'undo').temporary)
    if (!isPlaced) throw undoConflict(before.path, RECREATED, join(context.vault.folder, before.backup))
  },
  async assertUndoable({ vault }, { before }) {
    if (statIfThere(before.path) !== undefined)
      throw undoConflict(before.path, RECREATED, join(vault.folder, before.backup))
  },
  async finish() {},
  filesBefore: ({ before }) => [before],
}

/**
 * After an interruption between the two steps, the file gets its name back, unless another program created a
 * new one.
 */
function settleAside(context: StepContext, before: FileBefore): void {
  const { temporary } = namesOf(context, before.path, 'do')
  if (statIfThere(temporary) === undefined || placeNew(temporary, before.path)) return
  if (!isAsBefore(temporary, before) && statIfThere(before.path)?.ino !== statIfThere(temporary)?.ino)
    keepLate(context, temporary)
  removeSpare(temporary)
}

function keepLate({ vault, index }: StepContext, temporary: string): void {
  const kept = join(vault.folder, 'removed', `${index}-written-while-removed`)
  try {
    removeIfThere(kept)
    files().copy(temporary, kept)
    files().chmod(kept, 0o600)
  } catch (error) {
    throw fromWriteError(error, kept)
  }
}

function namesOf({ vault, index }: StepContext, path: string, tag: 'do' | 'undo') {
  return swapNames(path, vault.receipt.id, index, tag)
}
