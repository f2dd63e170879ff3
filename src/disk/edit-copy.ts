// A copy of a file for a person to edit, in our own folder: editors leave files of their own beside what they edit, and agents read whatever lies beside theirs.
import { basename, dirname, join } from 'node:path'
import { closeHandle, openHandle, syncHandle, writeAll } from './handles.ts'
import { makeFolder, removeTree } from './own-files.ts'
import { openFile } from './read.ts'

export interface EditCopy {
  path: string
  /** As it is now. Throws `not-found` where the editor has left none. */
  read(): Buffer
  remove(): void
}

const EDITS = 'edits'

/** `name` says whose it is; the copy is called as the file is, so that an editor knows what it holds. */
export function makeEditCopy(state: string, name: string, file: string, bytes: Buffer): EditCopy {
  const folder = makeFolder(join(state, EDITS, `${process.pid}-${Date.now()}`, basename(name)))
  const path = join(folder, basename(file))
  const handle = openHandle(path, 'create')
  try {
    writeAll(handle, bytes, 0)
    syncHandle(handle)
  } finally {
    closeHandle(handle)
  }
  return { path, read: () => readCopy(path, folder), remove: () => removeTree(dirname(folder)) }
}

function readCopy(path: string, folder: string): Buffer {
  const file = openFile(path, folder)
  try {
    return file.range(0, file.identity.size)
  } finally {
    file.close()
  }
}
