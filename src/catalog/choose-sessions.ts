// Selects the sessions that a call is about: the named ones, or all.
import type { Failure } from '../model/errors.ts'
import { failureOf, RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'
import { agentById } from './context.ts'
import { findSessions } from './find-all.ts'
import type { SessionFinder } from './find-one.ts'
import { makeSessionFinder } from './find-one.ts'

export interface Chosen {
  sessions: SessionRef[]
  failures: Failure[]
}

/** Identifies one session among all: the same id can be in two files, and several ids in one. */
export type SessionKey = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>

/** An id, a unique prefix of one, the path of a session file, or the key that a list or a verdict gives. */
export type SessionName = string | SessionKey

/** As on a command line: no name means all sessions. */
export async function chooseSessions(context: Context, names: readonly string[], agent?: string): Promise<Chosen> {
  if (names.length > 0) return await chooseNamed(context, names)
  return await findSessions(context, agent === undefined ? context.agents : [agentById(context, agent)])
}

/** A name without a session becomes a failure beside the other sessions. */
export async function chooseNamed(context: Context, names: readonly SessionName[]): Promise<Chosen> {
  const finder = await makeSessionFinder(context)
  const chosen: Chosen = { sessions: [], failures: [] }
  for (const name of new Set(names)) {
    try {
      const session = typeof name === 'string' ? finder.byName(name) : findByKey(finder, name)
      if (!chosen.sessions.some(known => isSame(known, session))) chosen.sessions.push(session)
    } catch (error) {
      if (!(error instanceof RethreadError) || error.code === 'usage') throw error
      chosen.failures.push(failureOf('', error, typeof name === 'string' ? name : name.filePath))
    }
  }
  return chosen
}

export function findByKey(finder: SessionFinder, key: SessionKey): SessionRef {
  const found = finder.sessions.find(session => isSame(session, key))
  if (found !== undefined) return found
  // A file outside every store is identified only by its path.
  const named = finder.byPath(key.filePath)
  if (isSame(named, key)) return named
  throw new RethreadError({
    code: 'session-not-found',
    text: `${key.filePath} does not hold the session ${key.sessionId} of ${key.agent}.`,
    hint: `See what it holds: ${paste('rethread show', key.filePath)}`,
    path: key.filePath,
  })
}

function isSame(a: SessionKey, b: SessionKey): boolean {
  return a.agent === b.agent && a.sessionId === b.sessionId && a.filePath === b.filePath
}
