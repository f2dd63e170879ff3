// The name of a session in every request: no path of a file ever comes from a client.
import { createHash } from 'node:crypto'
import type { SessionRef } from '../../model/session.ts'

const KEY_LENGTH = 22
export const KEY = /^[\w-]{22}$/

/** The same as long as the session is in the same file under the same id. */
export function keyOfSession(session: Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>): string {
  const name = JSON.stringify([session.agent, session.sessionId, session.filePath])
  return createHash('sha256').update(name).digest('base64url').slice(0, KEY_LENGTH)
}
