// A move over two disks as a part of a repair: how the receipt knows of it, and how it is settled and taken back.
import { dirname, sep } from 'node:path'
import { RethreadError } from '../../../model/errors.ts'
import { statIfThere } from '../../files/handles.ts'
import { quote } from '../../files/system-errors.ts'
import type { StoredMove } from '../receipt.ts'
import { saveReceipt } from '../vault.ts'
import { type Copy, type Crossing, crossDisks, crossingOf, settleCrossing } from './cross-disk.ts'
import type { Place } from './step.ts'

/** The folder is copied to another disk, and the receipt knows the copy before anybody can see it. */
export async function carryOver(place: Place, stored: StoredMove): Promise<void> {
  const { path, to, moved, instead } = stored
  // Nothing was done yet.
  place.touch(false)
  if (moved.kind !== 'folder' || instead !== null) throw otherDisk(path, to)
  await crossDisks(wayOf(place, stored, 'do'), {
    note: copy => noteCopy(place, stored, 'copied', copy),
    touch: isTouched => place.touch(isTouched),
  })
}

/** As it is by now. */
export async function carryBack(place: Place, stored: StoredMove): Promise<void> {
  await crossDisks(wayOf(place, stored, 'undo'), {
    note: copy => noteCopy(place, stored, 'returned', copy),
    touch() {},
  })
}

function noteCopy({ vault }: Place, stored: StoredMove, as: 'copied' | 'returned', copy: Copy): void {
  stored[as] = copy.name
  for (const change of vault.receipt.changes)
    if (change.type === 'move' && change !== stored) noteInside(stored, change.moved, change.to, copy)
  saveReceipt(vault)
}

/** What was moved in the folder before is known by its number, and has another one in the copy. Until all is done it may be either. */
function noteInside(stored: StoredMove, moved: StoredMove['moved'], at: string, copy: Copy): void {
  if (!at.startsWith(stored.path + sep)) return
  const stats = statIfThere(copy.path + at.slice(stored.path.length))
  if (stats !== undefined)
    moved.copies = [...(moved.copies ?? []), { device: String(stats.dev), inode: String(stats.ino) }]
}

/** Tidies up after either way, wherever it was interrupted. */
export function settlePrepared(place: Place, stored: StoredMove): void {
  const { moved, copied, returned } = stored
  settleCrossing(wayOf(place, stored, 'do'), copied, moved.device)
  if (copied !== undefined) settleCrossing(wayOf(place, stored, 'undo'), returned, copied.device)
}

function wayOf({ vault, index }: Place, { path, to }: StoredMove, tag: 'do' | 'undo'): Crossing {
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
