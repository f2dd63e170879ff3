// How many bytes of a file belong to one session, if several share it.
import type { SessionRef } from './session.ts'

type Stored = Pick<SessionRef, 'filePath' | 'fileSize' | 'ownBytes'>

/** Sessions in one database share its size, so that all together are as large as the file. */
export function sharedBytes(sessions: readonly Stored[]): (session: Stored) => number {
  const inFile = new Map<string, number>()
  for (const { filePath } of sessions) inFile.set(filePath, (inFile.get(filePath) ?? 0) + 1)
  return ({ filePath, fileSize, ownBytes }) => ownBytes ?? fileSize / (inFile.get(filePath) ?? 1)
}

/** The bytes of all these sessions together. */
export function totalBytes(sessions: readonly Stored[], share = sharedBytes(sessions)): number {
  return Math.round(sessions.reduce((sum, session) => sum + share(session), 0))
}
