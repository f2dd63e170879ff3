// What a verdict was made from, and whether that is still so. Taken before a check reads anything, so that bytes added meanwhile are never
// stamped as checked.
import { statIfThere } from '../../disk/files/handles.ts'
import { identityOf } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'

const ABSENT = 'absent'
const UNKNOWN = 'unknown'

/**
 * `files`: every file that was looked at, each with a mark that is another once it changed.
 * `identity`: what the store itself says of a session that shares its file with others, or is many files; as fresh as the reference it is from.
 */
export type Origin = { files: { path: string; mark: string }[] } | { identity: string }

/** `files` are those a check looks at; one that is not there counts too, as it may come. Without them, the file of a session that is one file. */
export function originOf(session: SessionRef, files?: readonly string[]): Origin {
  const paths = files ?? (isOneFile(session) ? [session.filePath] : [])
  if (paths.length === 0) return { identity: session.identity }
  return { files: paths.map(path => ({ path, mark: markOf(path) })) }
}

export function isUnchanged(origin: Origin, session: SessionRef): boolean {
  // What is known from an earlier time only says nothing about now.
  if ('identity' in origin) return origin.identity === session.identity && session.isFromMemory !== true
  return isKnown(origin) && origin.files.every(({ path, mark }) => markOf(path) === mark)
}

/** Whether `isUnchanged` looks at the disk itself, and not only at what was known when the session was found. */
export function isSeenOnDisk(origin: Origin): boolean {
  return 'files' in origin
}

/** Without the marks of all files, nobody can say later whether they changed. */
export function isKnown(origin: Origin): boolean {
  return 'identity' in origin || origin.files.every(({ mark }) => mark !== UNKNOWN)
}

/** One session among those that were ever found: the same id can stand in two files, and several ids in one. */
export function keyOf(session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>): string {
  return JSON.stringify([session.agent, session.sessionId, session.filePath])
}

/** The identity of a session that is one file is the mark of the file: device, inode, size and times. */
export function isOneFile(session: SessionRef): boolean {
  const size = /^\d+:\d+:(\d+):\d+:\d+$/.exec(session.identity)?.[1]
  return size === String(session.fileSize)
}

function markOf(path: string): string {
  try {
    const stats = statIfThere(path, 'stat')
    return stats === undefined ? ABSENT : identityOf(stats).mark
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return UNKNOWN
  }
}
