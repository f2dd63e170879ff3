// A move to another disk as part of a repair: how the receipt records it, and how it is settled and rolled
// back.
import { dirname, sep } from 'node:path'
import { RethreadError } from '../../../model/errors.ts'
import { statIfThere } from '../../files/handles.ts'
import { quote } from '../../files/system-errors.ts'
import type { StoredMove } from '../receipt.ts'
import { saveReceipt } from '../vault.ts'
import { type Copy, type Crossing, crossDisks, crossingOf, settleCrossing } from './cross-disk.ts'
import type { StepContext } from './step.ts'

/** Copies the folder to the other disk. The receipt records the copy before it becomes visible. */
export async function carryOver(context: StepContext, stored: StoredMove): Promise<void> {
  const { path, to, moved, instead } = stored
  // Nothing was done yet.
  context.touch(false)
  if (moved.kind !== 'folder' || instead !== null) throw otherDisk(path, to)
  await crossDisks(wayOf(context, stored, 'do'), {
    note: copy => noteCopy(context, stored, 'copied', copy),
    touch: isTouched => context.touch(isTouched),
  })
}

/** Copies the folder back as it is now. */
export async function carryBack(context: StepContext, stored: StoredMove): Promise<void> {
  await crossDisks(wayOf(context, stored, 'undo'), {
    note: copy => noteCopy(context, stored, 'returned', copy),
    touch() {},
  })
}

function noteCopy({ vault }: StepContext, stored: StoredMove, as: 'copied' | 'returned', copy: Copy): void {
  stored[as] = copy.name
  for (const change of vault.receipt.changes)
    if (change.type === 'move' && change !== stored) noteInside(stored, change.moved, change.to, copy)
  saveReceipt(vault)
}

/**
 * Items moved inside the folder are identified by their inode, which differs in the copy. Until the end
 * either may apply.
 */
function noteInside(stored: StoredMove, moved: StoredMove['moved'], at: string, copy: Copy): void {
  if (!at.startsWith(stored.path + sep)) return
  const stats = statIfThere(copy.path + at.slice(stored.path.length))
  if (stats !== undefined)
    moved.copies = [...(moved.copies ?? []), { device: String(stats.dev), inode: String(stats.ino) }]
}

/** Cleans up after either direction, wherever it was interrupted. */
export function settlePrepared(context: StepContext, stored: StoredMove): void {
  const { moved, copied, returned } = stored
  settleCrossing(wayOf(context, stored, 'do'), copied, moved.device)
  if (copied !== undefined) settleCrossing(wayOf(context, stored, 'undo'), returned, copied.device)
}

function wayOf({ vault, index }: StepContext, { path, to }: StoredMove, tag: 'do' | 'undo'): Crossing {
  const { id } = vault.receipt
  return tag === 'do' ? crossingOf(path, to, id, index, tag) : crossingOf(to, path, id, index, tag)
}

export function otherDisk(path: string, to: string): RethreadError {
  return new RethreadError({
    code: 'io-error',
    text: `${path} cannot be moved to ${to}: that is on another disk.`,
    hint: `See what is mounted where: df ${quote(path)} ${quote(dirname(to))}`,
    path,
  })
}
