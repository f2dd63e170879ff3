// Rolls back the changes of one receipt: after a failure, after a crash, or for an undo.
import { hasErrorCode } from '../../model/errors.ts'
import type { DatabaseWriters } from './database-writer.ts'
import type { StoredChange } from './receipt.ts'
import { type PreparedChange, prepared } from './steps/index.ts'
import { afterMoves } from './steps/relocate.ts'
import type { StepContext } from './steps/step.ts'
import type { Vault } from './vault.ts'

/** Which changes may have been started. After a crash that is unknown, so it may be all of them. */
export type Touched = (index: number) => boolean

export function stepContext(
  vault: Vault,
  index: number,
  databases: DatabaseWriters,
  touched?: Set<number>,
): StepContext {
  return {
    vault,
    index,
    databases,
    touch(isTouched = true) {
      if (isTouched) touched?.add(index)
      else touched?.delete(index)
    },
    note(text) {
      vault.receipt.note = [vault.receipt.note, text].filter(part => part !== undefined).join(' ')
    },
  }
}

export function preparedOf(vault: Vault, databases: DatabaseWriters): PreparedChange[] {
  return vault.receipt.changes.map((stored, index) => prepared(stepContext(vault, index, databases), stored))
}

/** The same after all changes: a moved folder has taken earlier changes inside it along. */
export function preparedAfterMoves(vault: Vault, databases: DatabaseWriters): PreparedChange[] {
  const changes = afterMoves(vault.receipt.changes)
  return changes.map((stored, index) => prepared(stepContext(vault, index, databases), stored))
}

/**
 * Whether all changes are in the state `after`. Checked from the last: only a change in that state has moved
 * anything.
 */
export async function areAllDone(moved: readonly PreparedChange[]): Promise<boolean> {
  for (const change of moved.toReversed()) if ((await change.inspect()).at !== 'after') return false
  return true
}

/**
 * A change that another program has modified since is left alone. Then the rest is rolled back, or nothing
 * further.
 */
export type OnConflict = 'go-on' | 'stop'

/**
 * Backwards, and rows before files: only the database knows whether rows can be restored, and if not, nothing
 * else was changed yet. Returns the conflicts; every other failure is thrown.
 */
export async function revertChanges(
  changes: readonly PreparedChange[],
  isTouched: Touched,
  onConflict: OnConflict,
): Promise<string[]> {
  const conflicts: string[] = []
  const order = changes.map((change, index) => ({ change, index })).toReversed()
  order.sort((a, b) => Number(b.change.stored.type === 'rows') - Number(a.change.stored.type === 'rows'))
  for (const { change, index } of order) {
    // Checked in any case, because that also removes what a failure left behind.
    const state = await change.inspect()
    if (!isTouched(index) || (onConflict === 'stop' && conflicts.length > 0)) continue
    if (state.at === 'before') await change.finish()
    else if (state.at === 'other') conflicts.push(`${pathOf(change)} ${state.text}.`)
    else conflicts.push(...(await revertOrReport(change)))
  }
  return conflicts
}

async function revertOrReport(change: PreparedChange): Promise<string[]> {
  try {
    await change.revert()
    return []
  } catch (error) {
    if (error instanceof Error && hasErrorCode(error, 'undo-conflict')) return [error.message]
    throw error
  }
}

export function pathOf({ stored }: PreparedChange): string {
  return pathIn(stored)
}

export function pathIn(stored: StoredChange): string {
  return stored.type === 'patch' || stored.type === 'remove' ? stored.before.path : stored.path
}
