// A copy of a database in a private folder, for steps that must not affect the original, such as recovering
// an unfinished log.
import { basename, join } from 'node:path'
import { fromSystemError, systemCode } from '../files/system-errors.ts'
import { makePrivateFolder } from '../state/private-folder.ts'
import { copyIfThere } from './database-files.ts'

export interface PrivateCopy {
  path: string
  remove(): void
}

/**
 * Includes the log and the journal, which SQLite needs to see what was committed. The caller must remove it.
 */
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
