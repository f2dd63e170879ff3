// In which folder Claude Code lists a session: the project folder's name is the encoded path of the folder in
// which the session was started. The encoding has no way back, so the paths in the records decide.
import { basename, dirname } from 'node:path'
import type { OpenFile } from '../../../disk/files/read.ts'
import { exists, openFile, realPath } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import { fieldsInLines } from '../../stores/path-fields.ts'

/** Longer names are cut, and a hash follows. */
const MAX_NAME = 200
const HEAD_BYTES = 256 * 1024

export const CWD = ['cwd'] as const

export function encodePath(path: string): string {
  return path.replace(/[^a-zA-Z0-9-]/g, '-')
}

/** The name of the project folder. Undefined for a path so long that its name ends in a hash. */
export function folderNameOf(path: string): string | undefined {
  const name = encodePath(path)
  return name.length > MAX_NAME ? undefined : name
}

function isNameOf(name: string, path: string): boolean {
  const encoded = encodePath(path)
  return encoded === name || (encoded.length > MAX_NAME && name.startsWith(encoded.slice(0, MAX_NAME)))
}

export interface Listed {
  /** The folder whose name the project folder has. Undefined if no record names it. */
  folder: string | undefined
  /** The first folder in the records. */
  first: string
}

/** Undefined for a session that names no folder: it holds no conversation. */
export function whereListed(session: SessionRef): Listed | undefined {
  const name = basename(dirname(session.filePath))
  const file = openFile(session.filePath, session.storeRoot)
  try {
    const head = search(file, name, Math.min(HEAD_BYTES, file.identity.size))
    if (head?.folder !== undefined || file.identity.size <= HEAD_BYTES) return head
    // A session that was moved by the agent itself names the new folder only later.
    return search(file, name, file.identity.size)
  } finally {
    file.close()
  }
}

/** The version that wrote the first record: the installed one is that or a later one. */
export function recordedVersion(session: SessionRef): string | undefined {
  const file = openFile(session.filePath, session.storeRoot)
  try {
    const end = Math.min(HEAD_BYTES, file.identity.size)
    for (const { value } of fieldsInLines(file, ['version'], { end })) if (typeof value === 'string') return value
    return undefined
  } finally {
    file.close()
  }
}

function search(file: OpenFile, name: string, end: number): Listed | undefined {
  let first: string | undefined
  for (const { value } of fieldsInLines(file, CWD, { end })) {
    if (typeof value !== 'string') continue
    first ??= value
    if (isNameOf(name, value)) return { folder: value, first }
  }
  if (first === undefined) return undefined
  return { folder: isLinkTo(first, name) ? first : undefined, first }
}

/** A folder that is reached through a link may be encoded with the path that the link leads to. */
function isLinkTo(path: string, name: string): boolean {
  return exists(path) && isNameOf(name, realPath(path))
}
