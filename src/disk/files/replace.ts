// A file with new content in the place of another: written beside it, synced, then swapped in. Keeps mode and owner.

import { describeHolder } from '../processes/open-handles.ts'
import { withBackup } from '../vault/backup.ts'
import type { FileBefore } from '../vault/receipt.ts'
import type { Place } from '../vault/steps/step.ts'
import { copyRange, type Handle, statHandle, withHandle } from './handles.ts'
import { swapIn } from './swap.ts'
import { swapNames } from './swap-settle.ts'
import { files } from './system-calls.ts'
import { fromWriteError } from './system-errors.ts'

export interface Replacement {
  before: FileBefore
  /** `undo` where the file of before is put back. */
  tag: 'do' | 'undo'
  /** So many bytes of what is there now are accounted for by the first `freshSize` of what is written. */
  oldSize: number
  freshSize: number
  late: 'carry' | 'refuse'
  write(fresh: Handle): Promise<void>
  /** The last word before the swap; throws where it must not happen. */
  assertOld?(old: Handle): Promise<void>
}

export async function replaceContent(place: Place, replacement: Replacement): Promise<void> {
  const { before, tag, oldSize, freshSize, late } = replacement
  const { path } = before
  const names = swapNames(path, place.vault.receipt.id, place.index, tag)
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
        touch: () => place.touch(),
      })
      if (holder !== undefined)
        place.note(
          `${describeHolder(holder)} opened ${path} in the moment it was replaced, and may be writing to the file of before.`,
        )
    })
  })
}

/** The file of before, from its copy in the vault, in the place of what a repair made of it. */
export async function putBackContent(
  place: Place,
  before: FileBefore,
  sizeAfter: number,
  late: Replacement['late'],
): Promise<void> {
  await withBackup(place.vault, before, backup =>
    replaceContent(place, {
      before,
      tag: 'undo',
      oldSize: sizeAfter,
      freshSize: before.size,
      late,
      write: async fresh => void (await copyRange(backup, 0, before.size, fresh, 0)),
    }),
  )
}

/** The owner first: changing it may clear bits of the mode. An owner that cannot be kept is a reason not to replace the file. */
export function keepOwnerAndMode(fresh: Handle, { uid, gid, mode }: Pick<FileBefore, 'uid' | 'gid' | 'mode'>): void {
  const now = statHandle(fresh)
  try {
    if (Number(now.uid) !== uid || Number(now.gid) !== gid) files().chown(fresh.path, uid, gid)
    files().chmod(fresh.path, mode)
  } catch (error) {
    throw fromWriteError(error, fresh.path)
  }
}
