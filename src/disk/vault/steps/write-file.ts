// Rewrites a file: where none exists, or in place of one that cannot be used.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { RethreadError } from '../../../model/errors.ts'
import type { WriteFile } from '../../../model/plan.ts'
import { type Handle, statIfThere, writeAll } from '../../files/handles.ts'
import { putBackContent, replaceContent } from '../../files/replace.ts'
import { removeSpare, settleSwap, swapNames } from '../../files/swap-settle.ts'
import { assertNotOpenElsewhere } from '../../processes/writers.ts'
import { backUp } from '../backup.ts'
import { planOutdated, undoConflict } from '../errors.ts'
import { createBeside, hasContent } from '../put-back.ts'
import type { StoredWrite } from '../receipt.ts'
import { storeBytes } from '../stored-edits.ts'
import { finishNew } from './move.ts'
import type { ChangeStep, StepContext } from './step.ts'

export const writeStep: ChangeStep<StoredWrite, WriteFile> = {
  async prepare({ vault, index }, { bytes, damage, reason }, fit) {
    const { path } = fit
    await assertNotOpenElsewhere(fit, false)
    const before = fit.identity === undefined ? null : await backUp(vault, index, fit)
    return {
      type: 'write',
      damage,
      reason,
      path,
      before,
      sizeAfter: bytes.length,
      sha256After: createHash('sha256').update(bytes).digest('hex'),
      new: storeBytes(vault, index, path, bytes),
    }
  },
  async apply(context, { path, before, sizeAfter }, { bytes, ...facts }) {
    if (before === null)
      return await writeNew(context, path, async fresh => {
        writeAll(fresh, bytes, 0)
        finishNew(fresh, facts)
      })
    await replaceContent(context, {
      before,
      tag: 'do',
      oldSize: before.size,
      freshSize: sizeAfter,
      late: 'refuse',
      write: async fresh => writeAll(fresh, bytes, 0),
    })
  },
  async inspect(context, { path, before, sizeAfter, sha256After }) {
    await settle(context, path, before, before?.size ?? 0, sizeAfter)
    if (await hasContent(path, sizeAfter, sha256After)) return { at: 'after' }
    if (before === null ? statIfThere(path) === undefined : await hasContent(path, before.size, before.sha256))
      return { at: 'before' }
    return { at: 'other', text: 'has been changed by another program since' }
  },
  async revert(context, { path, before, sizeAfter }) {
    if (before === null) return removeSpare(path)
    await putBackContent(context, before, sizeAfter, 'refuse')
  },
  async assertUndoable({ vault }, { path, before, sizeAfter, sha256After }) {
    if (await hasContent(path, sizeAfter, sha256After)) return
    if (before === null) throw madeAndChanged(path)
    throw undoConflict(path, 'has been changed since', join(vault.folder, before.backup))
  },
  async finish() {},
  filesBefore: ({ before }) => (before === null ? [] : [before]),
}

/** There was no earlier file that it could be compared with. */
function madeAndChanged(path: string): RethreadError {
  const what = statIfThere(path) === undefined ? 'no longer exists' : 'has been changed since'
  return new RethreadError({
    code: 'undo-conflict',
    text: `${path} ${what}. The repair created this file, so it cannot be undone.`,
    hint: 'See what was repaired since: rethread repairs',
    path,
  })
}

export async function writeNew(
  context: StepContext,
  path: string,
  write: (fresh: Handle) => Promise<void>,
): Promise<void> {
  const { temporary } = swapNames(path, context.vault.receipt.id, context.index, 'do')
  context.touch()
  assertPlaced(context, path, await createBeside(temporary, path, write))
}

export function assertPlaced(context: StepContext, path: string, isPlaced: boolean): void {
  if (isPlaced) return
  context.touch(false)
  throw planOutdated(path, 'another program has created such a file in the meantime')
}

async function settle(
  { vault, index }: StepContext,
  path: string,
  before: StoredWrite['before'],
  sizeBefore: number,
  sizeAfter: number,
): Promise<void> {
  const common = { path, before, late: 'refuse' } as const
  const names = (tag: 'do' | 'undo') => swapNames(path, vault.receipt.id, index, tag)
  await settleSwap({ ...common, names: names('do'), oldSize: sizeBefore, freshSize: sizeAfter })
  await settleSwap({ ...common, names: names('undo'), oldSize: sizeAfter, freshSize: sizeBefore })
}
