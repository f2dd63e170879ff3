// Undoes a repair: restores the exact old bytes, followed by whatever was appended since.
import { dirname } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { bytesIn, listTree } from '../files/folder-tree.ts'
import { statIfThere } from '../files/handles.ts'
import { withLock } from '../processes/session-lock.ts'
import { type DatabaseWriters, sqliteWriters } from './database-writer.ts'
import { assertSpace } from './free-space.ts'
import type { Receipt, StoredChange } from './receipt.ts'
import { findReceipt } from './receipts.ts'
import { areAllDone, pathOf, preparedAfterMoves, preparedOf, revertChanges } from './roll-back.ts'
import type { PreparedChange } from './steps/index.ts'
import { closeVault, markUnfinished, removeMarker, saveReceipt, type Vault } from './vault.ts'

export interface UndoOptions {
  /** Keep files that the repair removed and the agent has recreated. Without this they are a conflict. */
  leaveRecreated?: boolean
  /** Replaced by tests. */
  databases?: DatabaseWriters
}

export interface Undone {
  receipt: Receipt
  /** Files that are as they were before. */
  restored: string[]
  /** Files that did not exist before and are removed again. */
  removed: string[]
  /** Files that were recreated since and were left alone. */
  left: string[]
}

/**
 * `which` is the id of a receipt, a prefix of one, or a session. Throws `undo-conflict` before anything is
 * changed.
 */
export async function undoReceipt(state: string, which: string, options: UndoOptions = {}): Promise<Undone> {
  const found = findReceipt(state, which)
  const databases = databasesIn(found.receipt)
  const { agent, sessionId } = found.receipt
  return await withLock(state, { agent, sessionId, databases }, async () => {
    // Read again under the lock: another process may have undone it a moment ago.
    const vault = findReceipt(state, found.receipt.id)
    assertUndoable(vault.receipt)
    const writers = options.databases ?? sqliteWriters
    const moved = preparedAfterMoves(vault, writers)
    const left = moved.flatMap((change, index) => (options.leaveRecreated && isRecreated(change) ? [index] : []))
    // From the last: a file that was changed before its folder was moved is now in the moved folder.
    for (const [index, change] of [...moved.entries()].toReversed())
      if (!left.includes(index)) await change.assertUndoable()
    assertSpace(moved.flatMap((change, index) => (left.includes(index) ? [] : needsOf(change))))
    await undoAll(vault, left, writers, databases)
    const all = preparedOf(vault, writers)
    const undone = all.filter((_, index) => !left.includes(index))
    return {
      receipt: vault.receipt,
      restored: undone.filter(change => !isNew(change)).map(pathOf),
      removed: undone.filter(isNew).map(pathOf),
      left: all.filter((_, index) => left.includes(index)).map(pathOf),
    }
  })
}

async function undoAll(vault: Vault, left: number[], writers: DatabaseWriters, databases: string[]): Promise<void> {
  markUnfinished(vault, databases)
  vault.receipt.undoStartedAt = new Date().toISOString()
  vault.receipt.left = left
  try {
    saveReceipt(vault)
    const conflicts = await revertChanges(preparedOf(vault, writers), index => !left.includes(index), 'stop')
    if (conflicts.length > 0) throw conflictOf(vault, conflicts)
  } catch (error) {
    await giveUp(vault, left, writers)
    throw error
  }
  closeVault(vault, { state: 'undone', undoneAt: new Date().toISOString() })
}

/**
 * If nothing has been rolled back yet, the repair stays applied. Otherwise the next run finishes the undo.
 */
async function giveUp(vault: Vault, left: readonly number[], writers: DatabaseWriters): Promise<void> {
  try {
    const changes = preparedAfterMoves(vault, writers).filter(
      ({ stored }, index) => !left.includes(index) && stored.type !== 'rows',
    )
    if (!(await areAllDone(changes))) return
    const { undoStartedAt: _, left: __, ...rest } = vault.receipt
    vault.receipt = rest
    saveReceipt(vault)
    removeMarker(vault.state, vault.receipt.id)
  } catch {
    // The original failure is reported. The remaining marker makes the next run finish the undo.
  }
}

function assertUndoable(receipt: Receipt): void {
  const refusal = refusalOf(receipt)
  if (refusal === undefined) return
  throw new RethreadError({
    code: 'undo-conflict',
    text: `Repair ${receipt.id} of session ${receipt.sessionId} cannot be undone: ${refusal}`,
    hint: 'See all repairs: rethread repairs',
    path: receipt.filePath,
  })
}

function refusalOf(receipt: Receipt): string | undefined {
  if (receipt.state === 'undone') return 'it is already undone. To redo it, repair the session again.'
  if (receipt.state === 'rolled-back') return 'it failed and left the files as they were.'
  if (receipt.state === 'failed') return receipt.note ?? 'it failed.'
  if (receipt.state === 'started') return 'it was interrupted and is not settled yet; the next repair settles it.'
  if (receipt.backupRemovedAt !== undefined)
    return `its copies were removed on ${receipt.backupRemovedAt.slice(0, 10)}.`
  return undefined
}

function conflictOf(vault: Vault, conflicts: readonly string[]): RethreadError {
  return new RethreadError({
    code: 'undo-conflict',
    text: conflicts.join(' '),
    hint: 'See all repairs: rethread repairs',
    path: vault.receipt.filePath,
  })
}

function isNew({ stored }: PreparedChange): boolean {
  return stored.type === 'write' && stored.before === null
}

function isRecreated({ stored }: PreparedChange): boolean {
  return stored.type === 'remove' && statIfThere(stored.before.path) !== undefined
}

function needsOf(change: PreparedChange): { folder: string; bytes: number }[] {
  const { stored } = change
  if (stored.type === 'patch' && stored.way === 'in-place') return []
  if (stored.type === 'move' && stored.copied !== undefined)
    return [{ folder: dirname(stored.path), bytes: bytesIn(listTree(stored.to)) }]
  return change.filesBefore.map(({ path, size }) => ({ folder: dirname(path), bytes: size }))
}

export function databasesIn(receipt: Receipt): string[] {
  return receipt.changes
    .filter(usesDatabase)
    .map(stored => (stored.type === 'remove' ? stored.before.path : stored.path))
}

type OfDatabase = Extract<StoredChange, { type: 'rows' | 'rebuild-database' | 'remove' }>

function usesDatabase(stored: StoredChange): stored is OfDatabase {
  return stored.type === 'rows' || stored.type === 'rebuild-database' || (stored.type === 'remove' && stored.isDatabase)
}
