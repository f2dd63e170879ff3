// A folder that is held open. Access through it stays in this folder, even if another takes its name
// meanwhile.
import { closeSync, constants, openSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { files } from './system-calls.ts'
import { fromSystemError, systemCode } from './system-errors.ts'

export interface AnchoredFolder {
  /** The real path, without links. */
  path: string
  /** The path for system calls on the folder itself or an entry in it. Not meant for users. */
  here: string
  at(name: string): string
  close(): void
}

/** On Linux, each entry is a link to the open file itself, whatever has its name now. */
const OPEN_FILES = '/proc/self/fd'
/** Windows has none of these flags. */
const FOLDER_ALONE = (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens the folder by the name `by`. `accept` gets the real path of the open folder and throws where it must
 * not be entered. The caller must close it.
 */
export function openAnchored(path: string, accept: (path: string) => void, by = path): AnchoredFolder {
  let fd: number | undefined
  try {
    fd = openSync(by, constants.O_RDONLY | FOLDER_ALONE)
    const shown = whereIs(fd)
    accept(shown ?? whereByName(fd, path))
    const here = shown === undefined ? path : `${OPEN_FILES}/${fd}`
    const open = fd
    return { path, here, at: name => join(here, name), close: () => closeSync(open) }
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw fromSystemError(error, path)
  }
}

/** Undefined where this system does not show it. */
function whereIs(fd: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readlinkSync(`${OPEN_FILES}/${fd}`)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The fallback: the name must still lead to what was opened, without links. */
function whereByName(fd: number, path: string): string {
  const opened = files().fstat(fd)
  const now = files().stat(path)
  const isSame = opened.dev === now.dev && opened.ino === now.ino
  if (!isSame) throw Object.assign(new Error('was replaced while it was opened'), { code: 'ENOENT' })
  return files().realpath(path)
}
