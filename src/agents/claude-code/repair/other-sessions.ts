// Searches the files around a session for records that are missing in it: those of its subagents, of forks,
// and of other sessions in the same project. The search compares bytes.
import { basename, dirname, join } from 'node:path'
import { QUOTE } from '../../../bytes/ascii.ts'
import type { FolderEntry } from '../../../disk/files/read.ts'
import { listFolder, openFile } from '../../../disk/files/read.ts'
import type { ErrorCode } from '../../../model/errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'

/** The search is bounded: a project can hold thousands of sessions of many megabytes. */
const MAX_FILES = 100
const MAX_BYTES = 128 * 1024 * 1024
/** `subagents/workflows/<run>/`. */
const MAX_DEPTH = 2
/** The agent does not write longer ids. */
const MAX_ID_BYTES = 64
/** Inside a text the quotes would be escaped, so this matches only a field. */
const FIELD = Buffer.from('"uuid":"')
/** A file that was deleted since it was listed, or is not readable, is skipped. */
const UNREADABLE: ReadonlySet<ErrorCode> = new Set(['not-found', 'permission-denied', 'not-a-regular-file'])

export function findInOtherSessions(session: SessionRef, ids: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const missing = new Set(ids)
  let bytesLeft = MAX_BYTES
  let filesLeft = MAX_FILES
  for (const file of filesAround(session)) {
    if (missing.size === 0 || bytesLeft <= 0 || filesLeft-- <= 0) break
    const note = (id: string): void => {
      if (missing.delete(id)) found.set(id, file)
    }
    bytesLeft -= unlessUnreadable(() => searchFile(file, session.storeRoot, bytesLeft, note), 0)
  }
  return found
}

/** The nearest first: its own subagents, then the other sessions of the project. */
function* filesAround(session: SessionRef): Generator<string, void, void> {
  const own = session.subagentOf ?? session.sessionId
  const project = projectFolder(session)
  const files = function* (folder: string, depth: number): Generator<string, void, void> {
    const entries = unlessUnreadable(() => listFolder(folder), [])
    for (const entry of entries) if (isLog(entry) && entry.path !== session.filePath) yield entry.path
    if (depth > 0) for (const { isFolder, path } of entries) if (isFolder) yield* files(path, depth - 1)
  }
  yield* files(join(project, own, 'subagents'), MAX_DEPTH)
  yield* files(project, 0)
}

function projectFolder({ filePath, subagentOf }: SessionRef): string {
  let folder = dirname(filePath)
  if (subagentOf === undefined) return folder
  while (basename(folder) !== subagentOf && dirname(folder) !== folder) folder = dirname(folder)
  return dirname(folder)
}

/** Links are not followed: they can lead outside the project. */
function isLog(entry: FolderEntry): boolean {
  return !entry.isFolder && !entry.isLink && entry.name.endsWith('.jsonl')
}

function unlessUnreadable<T>(action: () => T, otherwise: T): T {
  try {
    return action()
  } catch (error) {
    if (error instanceof RethreadError && UNREADABLE.has(error.code)) return otherwise
    throw error
  }
}

/** Passes every id in the first `limit` bytes to `note`. Returns how many bytes were read. */
function searchFile(path: string, storeRoot: string, limit: number, note: (id: string) => void): number {
  const file = openFile(path, storeRoot)
  let read = 0
  try {
    let rest: Buffer = Buffer.alloc(0)
    for (const chunk of file.chunks(0, Math.min(limit, file.identity.size))) {
      read += chunk.length
      rest = searchChunk(Buffer.concat([rest, chunk]), note)
    }
    return read
  } finally {
    file.close()
  }
}

/** Returns the remaining bytes, which may be the start of a field. */
function searchChunk(bytes: Buffer, note: (id: string) => void): Buffer {
  for (let at = bytes.indexOf(FIELD); at !== -1; at = bytes.indexOf(FIELD, at + FIELD.length)) {
    const start = at + FIELD.length
    const end = bytes.indexOf(QUOTE, start)
    if (end === -1 && bytes.length - start <= MAX_ID_BYTES) return bytes.subarray(at)
    if (end !== -1 && end - start <= MAX_ID_BYTES) note(bytes.toString('latin1', start, end))
  }
  return bytes.subarray(Math.max(0, bytes.length - FIELD.length + 1))
}
