// Swaps a damaged database for one with every readable row. Only while no process has it open. The old files
// go into the vault.
import { basename, dirname, join } from 'node:path'
import type { RebuildDatabase } from '../../../model/plan.ts'
import {
  copyRange,
  type Handle,
  hashUpTo,
  statHandle,
  statIfThere,
  syncHandle,
  withHandle,
} from '../../files/handles.ts'
import { keepOwnerAndMode } from '../../files/replace.ts'
import { linkSpare } from '../../files/swap.ts'
import { findSpare, removeSpare, renameTo, type SwapNames, swapNames } from '../../files/swap-settle.ts'
import { files } from '../../files/system-calls.ts'
import { fromWriteError } from '../../files/system-errors.ts'
import { findLastingHolder } from '../../processes/open-handles.ts'
import { assertNotOpenElsewhere, busyError, heldBy } from '../../processes/writers.ts'
import { backUpDatabase } from '../../sqlite/backup.ts'
import { removeIfThere } from '../../state/own-files.ts'
import { fileMetadataOf, withBackup } from '../backup.ts'
import { planOutdated, undoConflict } from '../errors.ts'
import { fillFromBackup, hasContent, hasOriginalContent, isAsBefore, placeNew, restoreFile } from '../put-back.ts'
import type { FileBefore, StoredRebuild } from '../receipt.ts'
import { safeName, saveReceipt } from '../vault.ts'
import type { ChangeState, ChangeStep, StepContext } from './step.ts'

/** SQLite would apply a log of another database file, and ruin it. */
const COMPANIONS = ['-wal', '-shm', '-journal']

export const rebuildStep: ChangeStep<StoredRebuild, RebuildDatabase> = {
  async prepare({ vault, index }, { damage, reason }, fit) {
    const { path } = fit
    await assertNotOpenElsewhere(fit, true)
    const before = await backUpDatabase(vault, index, fit, COMPANIONS)
    return { type: 'rebuild-database', damage, reason, path, before, report: null }
  },
  async apply(context, stored, { fills = [] }) {
    const names = namesOf(context, stored.path, 'do')
    await buildBeside(context, stored, names, fills)
    for (const file of stored.before) await assertNotOpenElsewhere({ path: file.path, identity: file }, true)
    assertAllAsBefore(stored)
    const spare = linkSpare(stored.path, names.spare(0))
    context.touch()
    removeCompanions(stored.path)
    renameTo(names.temporary, stored.path)
    const holder = await findLastingHolder(stored.before, { anyHandle: true })
    if (holder !== undefined) {
      // Another process opened it at the same moment: the file that it has open gets its name back.
      if (spare !== undefined) renameTo(spare, stored.path)
      throw busyError(stored.path, heldBy(holder, stored.path))
    }
    if (spare !== undefined) removeSpare(spare)
  },
  async inspect(context, stored) {
    for (const tag of ['do', 'undo'] as const) removeIfThere(namesOf(context, stored.path, tag).temporary)
    const spare = findSpare(namesOf(context, stored.path, 'do'))
    if (spare !== undefined) removeSpare(spare.path)
    return await stateOf(stored)
  },
  async revert(context, stored) {
    const [database, ...companions] = stored.before
    if (database === undefined) return
    if (!(await hasOriginalContent(stored.path, database))) {
      await assertOursAlone(context, stored)
      await putBack(context, database)
    }
    for (const file of companions) {
      if (await hasOriginalContent(file.path, file)) continue
      const isPlaced = await restoreFile(context, file, namesOf(context, file.path, 'undo').temporary)
      if (!isPlaced) throw undoConflict(file.path, 'has been recreated since', join(context.vault.folder, file.backup))
    }
  },
  assertUndoable: assertOursAlone,
  async finish() {},
  filesBefore: ({ before }) => before,
}

/** Built in the vault, because SQLite creates files beside the one it writes. */
async function buildBeside(
  context: StepContext,
  stored: StoredRebuild,
  names: SwapNames,
  fills: readonly string[],
): Promise<void> {
  const [database] = stored.before
  if (database === undefined) throw planOutdated(stored.path, 'it no longer exists')
  const built = join(context.vault.folder, 'added', `${context.index}-${safeName(basename(stored.path))}`)
  const { rebuildDatabase } = await context.databases()
  stored.report = rebuildDatabase(stored.path, built, fills) ?? null
  await withHandle(built, 'read', async from => {
    await withHandle(names.temporary, 'create', async fresh => {
      stored.sizeAfter = await copyRange(from, 0, Number(statHandle(from).size), fresh, 0)
      keepOwnerAndMode(fresh, database)
      keepTimes(fresh, stored.before)
      syncHandle(fresh)
      stored.sha256After = (await hashUpTo(fresh, stored.sizeAfter)) ?? ''
      const { device, inode, size, modifiedNs } = fileMetadataOf(statHandle(fresh))
      stored.after = { device, inode, size, modifiedNs }
    })
  })
  // From here on the new database can be recognised after any failure.
  saveReceipt(context.vault)
}

/** The time of the agent's last write: into the database, or into its log, which is part of the new one. */
function keepTimes(fresh: Handle, before: readonly FileBefore[]): void {
  const written = before.filter(({ path }) => !path.endsWith('-shm')).map(({ modifiedNs }) => BigInt(modifiedNs))
  const last = written.reduce((latest, time) => (time > latest ? time : latest), 0n)
  try {
    files().setTimes(fresh.fd, statHandle(fresh).atimeNs, last)
  } catch (error) {
    throw fromWriteError(error, fresh.path)
  }
}

/** The database that rethread built: no process has it open or has written to it. */
async function assertOursAlone({ vault }: StepContext, stored: StoredRebuild): Promise<void> {
  const backup = join(vault.folder, stored.before[0]?.backup ?? 'backup')
  for (const path of ['', ...COMPANIONS].map(suffix => stored.path + suffix)) {
    const stats = statIfThere(path)
    if (stats === undefined) continue
    await assertNotOpenElsewhere({ path, identity: { device: String(stats.dev), inode: String(stats.ino) } }, true)
    if (path.endsWith('-wal') && stats.size > 0n) throw undoConflict(path, 'holds what was written since', backup)
  }
  if (!(await isRebuilt(stored))) throw undoConflict(stored.path, 'has been changed since', backup)
}

function assertAllAsBefore({ path, before }: StoredRebuild): void {
  const isKnown = new Set(before.map(file => file.path))
  for (const suffix of COMPANIONS)
    if (!isKnown.has(path + suffix) && statIfThere(path + suffix) !== undefined)
      throw planOutdated(path, 'another program has opened it in the meantime')
  for (const file of before)
    if (!isAsBefore(file.path, file)) throw planOutdated(file.path, 'it was written to in the meantime')
}

async function stateOf(stored: StoredRebuild): Promise<ChangeState> {
  const [database, ...companions] = stored.before
  if (database === undefined || (await hasOriginalContent(stored.path, database))) {
    for (const file of companions) if (!(await hasOriginalContent(file.path, file))) return { at: 'between' }
    return { at: 'before' }
  }
  const inode = String(statIfThere(stored.path)?.ino)
  if (inode === stored.after?.inode || (await isRebuilt(stored))) return { at: 'after' }
  return { at: 'other', text: 'has been changed by another program since' }
}

async function isRebuilt({ path, sizeAfter, sha256After }: StoredRebuild): Promise<boolean> {
  return sizeAfter !== undefined && sha256After !== undefined && (await hasContent(path, sizeAfter, sha256After))
}

/** The old database replaces the new one. Its log follows, because it fits no other database. */
async function putBack(context: StepContext, database: FileBefore): Promise<void> {
  const { temporary } = namesOf(context, database.path, 'undo')
  await withBackup(context.vault, database, backup =>
    withHandle(temporary, 'create', async fresh => {
      await fillFromBackup(fresh, backup, database)
      syncHandle(fresh)
    }),
  )
  removeCompanions(database.path)
  if (statIfThere(database.path) !== undefined) return renameTo(temporary, database.path)
  placeNew(temporary, database.path)
}

function removeCompanions(path: string): void {
  for (const suffix of COMPANIONS) removeIfThere(path + suffix)
  try {
    files().syncFolder(dirname(path))
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function namesOf({ vault, index }: StepContext, path: string, tag: 'do' | 'undo'): SwapNames {
  return swapNames(path, vault.receipt.id, index, tag)
}
