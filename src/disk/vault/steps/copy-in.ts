// Rewrites a file from a copy of rethread, as a stream. The receipt records it as a written file, and it is
// undone like one.
import { basename, dirname, join } from 'node:path'
import { RethreadError } from '../../../model/errors.ts'
import { copyRange, type Handle, hashUpTo, statHandle, syncHandle, withHandle } from '../../files/handles.ts'
import { keepOwnerAndMode, replaceContent } from '../../files/replace.ts'
import { files } from '../../files/system-calls.ts'
import { fromWriteError, quote } from '../../files/system-errors.ts'
import { assertNotOpenElsewhere } from '../../processes/writers.ts'
import { backUp } from '../backup.ts'
import type { StoredWrite } from '../receipt.ts'
import { safeName } from '../vault.ts'
import type { ChangeStep, CopyIn, StepContext } from './step.ts'
import { writeNew } from './write-file.ts'

export const copyInStep: Pick<ChangeStep<StoredWrite, CopyIn>, 'prepare' | 'apply'> = {
  async prepare(context, input, fit) {
    const { path } = fit
    const { damage, reason, size, sha256 } = input
    await assertNotOpenElsewhere(fit, false)
    const before = fit.identity === undefined ? null : (await backUp(context.vault, context.index, fit)).before
    const name = await keepCopy(context, input, path)
    const stored = { file: name, start: 0, length: size }
    return { type: 'write', damage, reason, path, before, sizeAfter: size, sha256After: sha256, new: stored }
  },
  async apply(context, { path, before, sizeAfter }, { owner, file, isTouched }) {
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
  },
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
