// A copy of a database in a folder of our own: for what the original must not suffer, such as taking over an unfinished log.
import { basename, join } from 'node:path'
import { fromSystemError, systemCode } from '../files/system-errors.ts'
import { makePrivateFolder } from '../state/private-folder.ts'
import { copyIfThere } from './database-files.ts'

export interface PrivateCopy {
  path: string
  remove(): void
}

/** With its log and its journal, as SQLite needs them to see what was committed. Whoever asks for it removes it. */
export function makePrivateCopy(path: string): PrivateCopy {
  const { folder, remove } = makePrivateFolder()
  try {
    const copy = join(folder, basename(path))
    for (const suffix of ['', '-wal', '-journal']) copyIfThere(path + suffix, copy + suffix)
    return { path: copy, remove }
  } catch (error) {
    remove()
    throw fromSystemError(error, systemCode(error) === 'ENOSPC' ? folder : path)
  }
}
