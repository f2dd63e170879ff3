// Moves a folder to another disk. It is copied under a hidden name and compared. Then the original is hidden,
// and removed only after the copy has its name. At any moment one of the two is complete.
import { dirname, join, sep } from 'node:path'
import { RethreadError } from '../../../model/errors.ts'
import { copyFolder } from '../../files/copy-folder.ts'
import { isSameTree, listTree, removeHidden, type TreeEntry } from '../../files/folder-tree.ts'
import { statIfThere } from '../../files/handles.ts'
import { renameTo, SUFFIX } from '../../files/swap-settle.ts'
import { files } from '../../files/system-calls.ts'
import { fromWriteError, quote } from '../../files/system-errors.ts'
import { findLastingHolder } from '../../processes/open-handles.ts'
import { busyError, heldBy } from '../../processes/writers.ts'
import { planOutdated } from '../errors.ts'
import { nearestExisting } from '../free-space.ts'
import type { StoredMove, StoredName } from '../receipt.ts'
import { saveReceipt } from '../vault.ts'
import type { StepContext } from './step.ts'

export interface Crossing {
  from: string
  to: string
  /** The copy until it gets its name, beside `to`. */
  copy: string
  /** The folder once it is hidden, beside `from`. */
  aside: string
}

export function crossingOf(from: string, to: string, id: string, index: number, tag: 'do' | 'undo'): Crossing {
  const name = (what: string): string => `.${id}-${index}-${tag}-${what}${SUFFIX}`
  return { from, to, copy: join(dirname(to), name('copy')), aside: join(dirname(from), name('aside')) }
}

/** By device numbers. Only an attempt shows whether a rename between two places of one device works. */
export function isOtherDisk(one: string, other: string): boolean {
  const deviceOf = (path: string): bigint | undefined => statIfThere(nearestExisting(path), 'stat')?.dev
  return deviceOf(one) !== deviceOf(other)
}

export interface Copy {
  name: StoredName
  /** The path until it gets its name. */
  path: string
}

export interface CrossingSteps {
  /** Records the copy before anything becomes visible. */
  note(copy: Copy): void
  /** Called right before the folder is hidden; with false when it has its name again. */
  touch(isTouched?: boolean): void
}

export async function crossDisks(crossing: Crossing, steps: CrossingSteps): Promise<void> {
  const { from, to, copy, aside } = crossing
  const entries = listTree(from)
  await assertNoFileIsOpen(from, entries)
  removeHidden(copy)
  await copyFolder(from, copy, entries)
  syncAbove(copy)
  steps.note({ name: nameOf(copy), path: copy })
  steps.touch()
  renameTo(from, aside)
  try {
    await assertNoFileIsOpen(aside, entries)
    if (!isSameTree(entries, listTree(aside))) throw planOutdated(from, 'it was written to while it was copied')
    if (statIfThere(to) !== undefined)
      throw planOutdated(to, 'another program has created something with this name in the meantime')
  } catch (error) {
    settleCrossing(crossing, undefined, '')
    steps.touch(false)
    throw error
  }
  renameTo(copy, to)
  removeHidden(aside)
}

/**
 * After an interruption anywhere: the folder has its old name or its new one, and nothing hidden is left.
 * `noted` is the recorded copy, `device` the original disk. Throws and changes nothing where one of the disks
 * is missing.
 */
export function settleCrossing(crossing: Crossing, noted: StoredName | undefined, device: string): void {
  const { from, to, copy, aside } = crossing
  const isThere = (path: string): boolean => statIfThere(path) !== undefined
  if (isThere(aside) && isThere(copy)) {
    if (isThere(from)) throw unsettled(from, `what was there is ${aside} now, and something new has its name`)
    renameTo(aside, from)
    removeHidden(copy)
  } else if (isThere(aside)) {
    if (!isFolderOf(to, noted)) throw unsettled(from, `its copy is not at ${to}, and what was there is ${aside}`)
    removeHidden(aside)
  } else if (isThere(copy)) {
    if (!isThere(from)) throw unsettled(from, `it is not there, and a copy, perhaps only a part of it, is ${copy}`)
    removeHidden(copy)
  } else if (noted !== undefined && noted.device !== device && !isThere(from) && !isThere(to)) {
    if (!isOtherDisk(dirname(from), dirname(to))) throw unsettled(from, `the disk that it went to is not at ${to}`)
  }
}

export function isFolderOf(path: string, name: StoredName | undefined): boolean {
  const stats = statIfThere(path)
  return name !== undefined && stats?.isDirectory() === true && String(stats.ino) === name.inode
}

function nameOf(path: string): StoredName {
  const stats = statIfThere(path)
  if (stats === undefined) throw planOutdated(path, 'another program has removed it')
  return { device: String(stats.dev), inode: String(stats.ino) }
}

async function assertNoFileIsOpen(folder: string, entries: readonly TreeEntry[]): Promise<void> {
  const inodes = entries
    .filter(({ kind }) => kind === 'file')
    .map(({ name, stats }) => ({ device: String(stats.dev), inode: String(stats.ino), name }))
  const holder = await findLastingHolder(inodes, { anyHandle: false })
  if (holder === undefined) return
  const path = join(folder, inodes.find(inode => inode === holder.inode)?.name ?? '')
  throw busyError(path, heldBy(holder, path))
}

function syncAbove(path: string): void {
  try {
    files().syncFolder(dirname(path))
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

function unsettled(path: string, detail: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `${path} was on its way to another disk: ${detail}. Nothing was removed.`,
    hint: `The other disk may not be mounted. See what is: df ${quote(dirname(path))}`,
    path,
  })
}

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
