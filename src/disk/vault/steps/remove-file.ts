// Removes a file. Its copy is in the vault before, and the file is removed only if it still equals its copy.
import { join } from 'node:path'
import type { RemoveFile } from '../../../model/plan.ts'
import { statIfThere } from '../../files/handles.ts'
import { removeSpare, renameTo, swapNames } from '../../files/swap-settle.ts'
import { files } from '../../files/system-calls.ts'
import { fromWriteError } from '../../files/system-errors.ts'
import { findLastingHolder } from '../../processes/open-handles.ts'
import { assertNobodyHolds, busy, heldBy } from '../../processes/writers.ts'
import { removeIfThere } from '../../state/own-files.ts'
import { backUp } from '../backup.ts'
import { holdsWhatWas, isAsBefore } from '../change-state.ts'
import { placeNew, restoreFile } from '../put-back.ts'
import type { FileBefore, StoredRemove } from '../receipt.ts'
import { planOutdated, undoConflict } from '../refusals.ts'
import type { Place, Step } from './step.ts'

const MADE_ANEW = 'has been recreated since'

export const removeStep: Step<StoredRemove, RemoveFile> = {
  async prepare({ vault, index }, { damage, reason, isDatabase = false }, fit) {
    await assertNobodyHolds(fit, isDatabase)
    const { before } = await backUp(vault, index, fit)
    return { type: 'remove', damage, reason, isDatabase, before }
  },
  async apply(place, { before, isDatabase }) {
    const { path } = before
    const { temporary } = namesOf(place, path, 'do')
    await assertNobodyHolds({ path, identity: before }, isDatabase)
    if (!isAsBefore(path, before)) throw planOutdated(path, 'it was written to in the meantime')
    place.touch()
    // Moved aside first, so that a process that opened it at the same moment can get it back.
    renameTo(path, temporary)
    const holder = await findLastingHolder([before], { anyHandle: isDatabase })
    if (holder === undefined && isAsBefore(temporary, before)) return removeSpare(temporary)
    if (placeNew(temporary, path)) place.touch(false)
    if (holder !== undefined) throw busy(path, heldBy(holder, path))
    throw planOutdated(path, 'it was written to in the very moment it was removed')
  },
  async look(place, { before }) {
    const { path } = before
    settleAside(place, before)
    removeIfThere(namesOf(place, path, 'undo').temporary)
    return { at: (await holdsWhatWas(path, before)) ? 'before' : 'after' }
  },
  async revert(place, { before }) {
    const isPlaced = await restoreFile(place, before, namesOf(place, before.path, 'undo').temporary)
    if (!isPlaced) throw undoConflict(before.path, MADE_ANEW, join(place.vault.folder, before.backup))
  },
  async assertUndoable({ vault }, { before }) {
    if (statIfThere(before.path) !== undefined)
      throw undoConflict(before.path, MADE_ANEW, join(vault.folder, before.backup))
  },
  async finish() {},
  filesBefore: ({ before }) => [before],
}

/**
 * After an interruption between the two steps, the file gets its name back, unless another program created a
 * new one.
 */
function settleAside(place: Place, before: FileBefore): void {
  const { temporary } = namesOf(place, before.path, 'do')
  if (statIfThere(temporary) === undefined || placeNew(temporary, before.path)) return
  if (!isAsBefore(temporary, before) && statIfThere(before.path)?.ino !== statIfThere(temporary)?.ino)
    keepLate(place, temporary)
  removeSpare(temporary)
}

function keepLate({ vault, index }: Place, temporary: string): void {
  const kept = join(vault.folder, 'removed', `${index}-written-while-removed`)
  try {
    removeIfThere(kept)
    files().copy(temporary, kept)
    files().chmod(kept, 0o600)
  } catch (error) {
    throw fromWriteError(error, kept)
  }
}

function namesOf({ vault, index }: Place, path: string, tag: 'do' | 'undo') {
  return swapNames(path, vault.receipt.id, index, tag)
}
