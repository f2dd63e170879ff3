// A copy of a database in a folder of our own: for what the original must not suffer, such as taking over an unfinished log.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fromSystemError, systemCode } from './errors.ts'
import { copyIfThere } from './sqlite-files.ts'

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

/** Nobody else may look into it. */
export function makePrivateFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'rethread-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
