// A copy of a file for a person to edit, in our own folder: editors leave files of their own beside what they edit, and agents read whatever lies beside theirs.
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { closeHandle, openHandle, syncHandle, writeAll } from '../files/handles.ts'
import { listFolder, openFile } from '../files/read.ts'
import { isRunning } from '../processes/is-running.ts'
import { makeFolder, removeTree } from './own-files.ts'

export interface EditCopy {
  path: string
  /** As it is now. Throws `not-found` where the editor has left none. */
  read(): Buffer
  /** Whether nothing is there but the file with these bytes: neither has anybody typed anything, nor left anything beside it. */
  holdsOnly(bytes: Buffer): boolean
  remove(): void
}

const EDITS = 'edits'

/** Of the file at `original`. The copy is called as the file is, in a folder called as its own, so that an editor and a person know what it holds. */
export function makeEditCopy(state: string, original: string, bytes: Buffer): EditCopy {
  const run = `${process.pid}-${Date.now()}-${markOf(original)}`
  const path = join(state, EDITS, run, endOf(original))
  makeFolder(dirname(path))
  const handle = openHandle(path, 'create')
  try {
    writeAll(handle, bytes, 0)
    syncHandle(handle)
  } finally {
    closeHandle(handle)
  }
  return copyAt(path)
}

export interface EarlierCopy extends EditCopy {
  madeAt: Date
}

/** Copies of this file that another process made, which has ended without taking or removing them; the newest first. */
export function earlierEditCopies(state: string, original: string): EarlierCopy[] {
  return listFolder(join(state, EDITS))
    .flatMap(({ name: run, path }) => {
      const [, pid, time, mark] = /^(\d+)-(\d+)-(\w+)$/.exec(run) ?? []
      if (pid === undefined || mark !== markOf(original) || isRunning(Number(pid))) return []
      const copy = copyAt(join(path, endOf(original)))
      return canBeRead(copy) ? [{ ...copy, madeAt: new Date(Number(time)) }] : []
    })
    .sort((a, b) => b.madeAt.getTime() - a.madeAt.getTime())
}

/** Conversations of other workspaces may be called the same. */
function markOf(original: string): string {
  return createHash('sha256').update(original).digest('hex').slice(0, 16)
}

function endOf(original: string): string {
  return join(basename(dirname(original)), basename(original))
}

function copyAt(path: string): EditCopy {
  const folder = dirname(path)
  return {
    path,
    read: () => readCopy(path, folder),
    holdsOnly: wanted => holdsOnly(path, wanted),
    remove: () => removeTree(dirname(folder)),
  }
}

/** What an editor left in its place is not a copy to go on with. */
function canBeRead(copy: EditCopy): boolean {
  try {
    copy.read()
    return true
  } catch (error) {
    if (error instanceof RethreadError) return false
    throw error
  }
}

/** What cannot be told is not nothing. */
function holdsOnly(path: string, bytes: Buffer): boolean {
  try {
    const names = listFolder(dirname(path)).map(({ name }) => name)
    return names.length === 1 && names[0] === basename(path) && readCopy(path, dirname(path)).equals(bytes)
  } catch (error) {
    if (error instanceof RethreadError) return false
    throw error
  }
}

function readCopy(path: string, folder: string): Buffer {
  const file = openFile(path, folder)
  try {
    return file.range(0, file.identity.size)
  } finally {
    file.close()
  }
}
