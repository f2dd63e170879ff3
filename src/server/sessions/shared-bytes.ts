// How many bytes of a file are one session's, where several share it.
import type { SessionRef } from '../../model/session.ts'

/** Sessions in one database share its size between them, so that all together are as large as the file. */
export function sharedBytes(sessions: readonly SessionRef[]): (session: SessionRef) => number {
  const inFile = new Map<string, number>()
  for (const { filePath } of sessions) inFile.set(filePath, (inFile.get(filePath) ?? 0) + 1)
  return ({ filePath, fileSize }) => fileSize / (inFile.get(filePath) ?? 1)
}
