// Files and folders of our own: replaced whole, or not at all, and on the disk before anything relies on them.
import { dirname, join } from 'node:path'
import { closeHandle, openHandle, syncHandle, writeAll } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, systemCode } from '../files/system-errors.ts'

/** Each folder that had to be made is synced into the one above it. */
export function makeFolder(path: string): string {
  try {
    const missing: string[] = []
    for (let folder = path; !isThere(folder); folder = dirname(folder)) missing.unshift(folder)
    files().makeFolder(path)
    for (const folder of missing) files().syncFolder(dirname(folder))
    return path
  } catch (error) {
    throw fromWriteError(error, path)
  }
}

/** After a crash there is either what was there before, or all of `content`. */
export function replaceOwnFile(path: string, content: string): void {
  const temporary = `${path}.new`
  // Left by somebody who was killed here; whoever writes this file now holds the lock for it.
  removeIfThere(temporary)
  const handle = openHandle(temporary, 'create')
  try {
    writeAll(handle, Buffer.from(content), 0)
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
 * A file of ours that SQLite opens: made 0600 before SQLite could make it for everybody. One that came with a wider mode, such
 * as from a backup, is narrowed; that is not ours to do where somebody else owns it.
 */
export function makePrivate(path: string): void {
  try {
    files().close(files().create(path))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fromWriteError(error, path)
    narrow(path)
  }
}

const OF_OTHERS = 0o077n
const NOT_OURS = new Set(['EPERM', 'EROFS', 'EACCES'])

function narrow(path: string): void {
  try {
    if ((files().stat(path).mode & OF_OTHERS) !== 0n) files().chmod(path, 0o600)
  } catch (error) {
    if (!NOT_OURS.has(systemCode(error))) throw fromWriteError(error, path)
  }
}

/** What is not there need not be removed. */
export function removeIfThere(path: string): boolean {
  try {
    files().unlink(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw fromWriteError(error, path)
  }
}

/** Only ever called for folders below our state folder, and for those we have hidden; links in it are removed, not followed. */
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
