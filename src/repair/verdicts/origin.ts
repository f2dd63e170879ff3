// What a verdict was made from, and whether that is unchanged. Taken before a check reads anything, so that
// bytes added meanwhile never count as checked.

import type { StoreRepair } from '../../agents/repair.ts'
import { findStore, type Store } from '../../agents/store.ts'
import { statIfThere } from '../../disk/files/handles.ts'
import { type FileIdentity, identityOf } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { CheckContext } from '../check/check.ts'

const ABSENT = 'absent'
const UNKNOWN = 'unknown'

/**
 * `files`: every file that was read, each with a mark that differs after any change. `identity`: the store's
 * own mark for a session that shares its file with others or has many files; as current as the reference it
 * comes from.
 */
export type Origin = { files: { path: string; mark: string }[] } | { identity: string }

/**
 * `files` are those that a check reads, including missing ones, which may appear later. Without them, the
 * file of a session that is one file. `own` is that of the session's own file, just now. With `known`, a file that
 * several sessions depend on is statted once: its mark is then that from before the first of them was read.
 */
export function originOf(
  session: SessionRef,
  files?: readonly string[],
  known: Marks = new Map(),
  own?: FileIdentity,
): Origin {
  const { filePath } = session
  // A copy in the archive depends on no file that is there now.
  const paths = session.archived === undefined ? (files ?? (isOneFile(session) ? [filePath] : [])) : []
  if (paths.length === 0) return { identity: session.identity }
  const mark = (path: string): string => (path === filePath ? (own?.mark ?? markOf(path)) : markOnce(path, known))
  return { files: paths.map(path => ({ path, mark: mark(path) })) }
}

/** The marks of files by their paths, for many sessions that were found just now. */
export type Marks = Map<string, string>

function markOnce(path: string, known: Marks): string {
  const mark = known.get(path) ?? markOf(path)
  known.set(path, mark)
  return mark
}

/** With `known`, a file that several sessions depend on is statted once, and that of the session not again. */
export function isUnchanged(origin: Origin, session: SessionRef, known?: Marks): boolean {
  // A reference from memory says nothing about the present state.
  if ('identity' in origin) return origin.identity === session.identity && session.isFromMemory !== true
  // Those of a file say nothing about its copy in the archive.
  if (session.archived !== undefined) return false
  if (known === undefined) return origin.files.every(({ path, mark }) => mark !== UNKNOWN && markOf(path) === mark)
  return origin.files.every(
    ({ path, mark }) =>
      mark !== UNKNOWN && (isOwnMark(path, mark, session) || knownMark(path, session, known) === mark),
  )
}

/** Equal to the mark of a file, the identity of a session is the mark of its file. */
function isOwnMark(path: string, mark: string, { filePath, identity, isFromMemory }: SessionRef): boolean {
  return path === filePath && mark === identity && isFromMemory !== true
}

function knownMark(path: string, session: SessionRef, known: Marks): string {
  if (path === session.filePath && session.isFromMemory !== true && isOneFile(session)) return session.identity
  return markOnce(path, known)
}

/** Whether the session's own file is another than at that time: its change time never comes again. */
export function isOutdated(origin: Origin, session: SessionRef): boolean {
  if ('identity' in origin || session.isFromMemory === true || !isOneFile(session)) return false
  return origin.files.some(({ path, mark }) => path === session.filePath && mark !== session.identity)
}

/** Whether `isUnchanged` reads the disk, and not only what was known when the session was found. */
export function isCheckedOnDisk(origin: Origin): boolean {
  return 'files' in origin
}

/** Without the marks of all files, a later change could not be noticed. */
export function hasAllMarks(origin: Origin): boolean {
  return 'identity' in origin || origin.files.every(({ mark }) => mark !== UNKNOWN)
}

/** Whether everything but the session's own file is the same in both. */
export function dependsOnSame(one: Origin, other: Origin, { filePath }: SessionRef): boolean {
  if ('identity' in one || 'identity' in other || !hasAllMarks(one)) return false
  const others = (origin: { files: { path: string; mark: string }[] }): string[] =>
    origin.files.flatMap(({ path, mark }) => (path === filePath ? [] : [path, mark]))
  return JSON.stringify(others(one)) === JSON.stringify(others(other))
}

/**
 * Identifies one session among all that were found: the same id can be in two files, and several ids in one.
 */
export function sessionKey(session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>): string {
  return JSON.stringify([session.agent, session.sessionId, session.filePath])
}

export function parseSessionKey(key: string): Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'> {
  const [agent = '', sessionId = '', filePath = ''] = JSON.parse(key) as string[]
  return { agent, sessionId, filePath }
}

const FILE_MARK = /^\d+:\d+:\d+:\d+:\d+$/

/** For a session that is one file, the identity is the mark of the file: device, inode, size and times. */
export function isOneFile(session: SessionRef): boolean {
  // Asked for each of ten thousand sessions: the size between the second and the third colon is compared first.
  const { identity, fileSize } = session
  const size = identity.indexOf(':', identity.indexOf(':') + 1) + 1
  return size > 0 && identity.startsWith(`${fileSize}:`, size) && FILE_MARK.test(identity)
}

/** The mark of a file as it is now; that of one which cannot be examined equals no other. */
export function markOf(path: string): string {
  try {
    const stats = statIfThere(path, 'stat')
    return stats === undefined ? ABSENT : identityOf(stats).mark
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return UNKNOWN
  }
}

/** Needed for every session. Importing the module each time would take as long as reading the file. */
const known = new WeakMap<Store, Promise<StoreRepair>>()

export function repairOf(store: Store): Promise<StoreRepair> | undefined {
  const repair = known.get(store) ?? store.repair?.()
  if (repair !== undefined) known.set(store, repair)
  return repair
}

/**
 * The files that a verdict depends on: the session's file, and the files beside it that its agent also
 * reads.
 */
export async function originOfCheck(
  context: CheckContext,
  session: SessionRef,
  known?: Marks,
  own?: FileIdentity,
): Promise<Origin> {
  const agent = context.agents.find(({ id }) => id === session.agent)
  const store = findStore(agent, session)
  const repair = store === undefined ? undefined : await repairOf(store)
  const companions = repair?.companions?.(session, context.environment) ?? []
  return originOf(session, companions.length === 0 ? undefined : [session.filePath, ...companions], known, own)
}
