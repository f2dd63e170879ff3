// Replaces a file with new content: written beside it, synced, then swapped in. Keeps mode and owner.

import { describeHolder } from '../processes/open-handles.ts'
import { withBackup } from '../vault/backup.ts'
import type { FileBefore } from '../vault/receipt.ts'
import type { StepContext } from '../vault/steps/step.ts'
import { copyRange, type Handle, statHandle, withHandle } from './handles.ts'
import { swapIn } from './swap.ts'
import { swapNames } from './swap-settle.ts'
import { files } from './system-calls.ts'
import { fromWriteError } from './system-errors.ts'

export interface Replacement {
  before: FileBefore
  /** `undo` where the original file is put back. */
  tag: 'do' | 'undo'
  /**
   * The first `oldSize` bytes of the current file correspond to the first `freshSize` bytes of the new one.
   */
  oldSize: number
  freshSize: number
  late: 'carry' | 'refuse'
  /** The new file gets the current time. Default: the time of the old one. */
  isTouched?: boolean
  write(fresh: Handle): Promise<void>
  /** The last check before the swap; throws where it must not happen. */
  assertOld?(old: Handle): Promise<void>
}

export async function replaceContent(context: StepContext, replacement: Replacement): Promise<void> {
  const { before, tag, oldSize, freshSize, late } = replacement
  const { path } = before
  const names = swapNames(path, context.vault.receipt.id, context.index, tag)
  await withHandle(path, 'read', async old => {
    await withHandle(names.temporary, 'create', async fresh => {
      await replacement.write(fresh)
      keepOwnerAndMode(fresh, before)
      await replacement.assertOld?.(old)
      const holder = await swapIn({
        path,
        names,
        old,
        fresh,
        oldSize,
        freshSize,
        before,
        late,
        ...(replacement.isTouched === true ? { isTouched: true } : {}),
        touch: () => context.touch(),
      })
      if (holder !== undefined)
        context.note(
          `${describeHolder(holder)} opened ${path} in the moment it was replaced, and may be writing to the file of before.`,
        )
    })
  })
}

/** Puts the original file, from its copy in the vault, in the place of the repaired one. */
export async function putBackContent(
  context: StepContext,
  before: FileBefore,
  sizeAfter: number,
  late: Replacement['late'],
): Promise<void> {
  await withBackup(context.vault, before, backup =>
    replaceContent(context, {
      before,
      tag: 'undo',
      oldSize: sizeAfter,
      freshSize: before.size,
      late,
      write: async fresh => void (await copyRange(backup, 0, before.size, fresh, 0)),
    }),
  )
}

/**
 * Sets the owner first, because changing it may clear mode bits. If the owner cannot be kept, the file is not
 * replaced.
 */
export function keepOwnerAndMode(fresh: Handle, { uid, gid, mode }: Pick<FileBefore, 'uid' | 'gid' | 'mode'>): void {
  const now = statHandle(fresh)
  try {
    if (Number(now.uid) !== uid || Number(now.gid) !== gid) files().chown(fresh.path, uid, gid)
    files().chmod(fresh.path, mode)
  } catch (error) {
    throw fromWriteError(error, fresh.path)
  }
}
