// A folder that is held open: what is reached through it stays in it, whatever takes its place under its name in the meantime.
import { closeSync, constants, openSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { files } from './system-calls.ts'
import { fromSystemError, systemCode } from './system-errors.ts'

export interface AnchoredFolder {
  /** Without links. */
  path: string
  /** How system calls name the folder itself, and an entry in it. For people it says nothing. */
  here: string
  at(name: string): string
  close(): void
}

/** Linux: each is a link that only the system follows, to the open file and not to what has its name now. */
const OPEN_FILES = '/proc/self/fd'
/** Windows has none of them. */
const FOLDER_ALONE = (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Opened by the name `by`. `accept` gets the path that the open folder really has, and throws where it must not be entered. Whoever opens it closes it. */
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

/** The next best: what has this name now is what was opened, and no link leads there. */
function whereByName(fd: number, path: string): string {
  const opened = files().fstat(fd)
  const now = files().stat(path)
  const isSame = opened.dev === now.dev && opened.ino === now.ino
  if (!isSame) throw Object.assign(new Error('was replaced while it was opened'), { code: 'ENOENT' })
  return files().realpath(path)
}
