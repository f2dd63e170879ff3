// Moves a folder to another disk. It is copied under a hidden name and compared. Then the original is hidden,
// and removed only after the copy has its name. At any moment one of the two is complete.
import { dirname, join } from 'node:path'
import { RethreadError } from '../../../model/errors.ts'
import { copyFolder } from '../../files/copy-folder.ts'
import { isSameTree, listTree, removeHidden, type TreeEntry } from '../../files/folder-tree.ts'
import { statIfThere } from '../../files/handles.ts'
import { renameTo, SUFFIX } from '../../files/swap-settle.ts'
import { files } from '../../files/system-calls.ts'
import { fromWriteError, quote } from '../../files/system-errors.ts'
import { findLastingHolder } from '../../processes/open-handles.ts'
import { busyError, heldBy } from '../../processes/writers.ts'
import { nearestExisting } from '../free-space.ts'
import type { StoredName } from '../receipt.ts'
import { planOutdated } from '../refusals.ts'

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
