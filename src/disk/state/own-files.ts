// Files and folders of rethread: replaced as a whole or not at all, and synced before anything relies on
// them.
import { dirname, join } from 'node:path'
import { closeHandle, openHandle, syncHandle, writeAll } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, systemCode } from '../files/system-errors.ts'

/** Each created folder is synced into its parent. */
export function makeFolder(path: string): string {
  try {
    for (const parent of makeFolderUnsynced(path)) files().syncFolder(parent)
    return path
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

/** Returns the folders with new entries, the outermost first, which the caller syncs. */
export function makeFolderUnsynced(path: string): string[] {
  try {
    const parents: string[] = []
    for (let folder = path; !isThere(folder); folder = dirname(folder)) parents.unshift(dirname(folder))
    files().makeFolder(path)
    return parents
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

/** After a crash, the file has either its old content or all of `content`. */
export function replaceOwnFile(path: string, content: string | Buffer): void {
  const temporary = `${path}.new`
  // Left by a process that was killed here. The current writer of this file has the lock for it.
  removeIfThere(temporary)
  const handle = openHandle(temporary, 'create')
  try {
    writeAll(handle, typeof content === 'string' ? Buffer.from(content) : content, 0)
    syncHandle(handle)
  } finally {
    closeHandle(handle)
  }
  try {
    files().rename(temporary, path)
    files().syncFolder(dirname(path))
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

/**
 * For a file that SQLite opens: created with mode 0600 before SQLite would create it readable for all. A file
 * with a wider mode, such as from a backup, is restricted, unless another user owns it.
 */
export function makePrivate(path: string): void {
  try {
    files().close(files().create(path))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fromWriteError(error, path)
    restrictMode(path)
  }
}

const OF_OTHERS = 0o077n
const NOT_OURS = new Set(['EPERM', 'EROFS', 'EACCES'])

function restrictMode(path: string): void {
  try {
    if ((files().stat(path).mode & OF_OTHERS) !== 0n) files().chmod(path, 0o600)
  } catch (error) {
    if (!NOT_OURS.has(systemCode(error))) throw fromWriteError(error, path)
  }
}

/** Returns false where it does not exist. */
export function removeIfThere(path: string): boolean {
  try {
    files().unlink(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw fromWriteError(error, path)
  }
}

/**
 * Only for folders below the state folder, and for those that rethread has hidden. Links in it are removed,
 * not followed.
 */
export function removeTree(folder: string): void {
  try {
    for (const entry of files().list(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) removeTree(path)
      else files().unlink(path)
    }
    files().removeFolder(folder)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fromWriteError(error, folder)
  }
}

function isThere(path: string): boolean {
  try {
    files().stat(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
