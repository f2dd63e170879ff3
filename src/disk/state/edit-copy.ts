// A copy of a file for a user to edit, in the state folder. Editors leave files beside what they edit, and
// agents read every file beside theirs.
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { closeHandle, openHandle, syncHandle, writeAll } from '../files/handles.ts'
import { listFolder, openFile } from '../files/read.ts'
import { isRunning } from '../processes/process-identity.ts'
import { makeFolder, removeTree } from './own-files.ts'

export interface EditCopy {
  path: string
  /** The current content. Throws `not-found` where the editor has removed it. */
  read(): Buffer
  /** Whether only the file exists and has these bytes: nothing was typed, and nothing is left beside it. */
  holdsOnly(bytes: Buffer): boolean
  remove(): void
}

const EDITS = 'edits'

/**
 * Copies the file at `original`. The copy has the name of the file, in a folder with the name of its folder,
 * so that an editor and a user recognise it.
 */
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

/** Copies of this file that an ended process left, the newest first. */
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

/** Conversations of other workspaces may have the same name. */
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

/** Something else that an editor left in its place cannot be edited further. */
function canBeRead(copy: EditCopy): boolean {
  try {
    copy.read()
    return true
  } catch (error) {
    if (error instanceof RethreadError) return false
    throw error
  }
}

/** Content that cannot be read counts as changed. */
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
