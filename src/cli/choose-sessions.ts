// Which sessions a command is about: those that are named, or all there are.

import type { Context } from '../catalog/context.ts'
import { agentById } from '../catalog/context.ts'
import { findSessions } from '../catalog/find-all.ts'
import { findSession } from '../catalog/find-one.ts'
import type { Failure } from '../model/errors.ts'
import { failureOf, RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'

export interface Chosen {
  sessions: SessionRef[]
  failures: Failure[]
}

/** A name that stands for no session is a failure among the others. */
export async function chooseSessions(context: Context, names: readonly string[], agent?: string): Promise<Chosen> {
  if (names.length === 0)
    return await findSessions(context, agent === undefined ? context.agents : [agentById(context, agent)])
  const chosen: Chosen = { sessions: [], failures: [] }
  for (const name of new Set(names)) {
    try {
      const session = await findSession(context, name)
      if (!chosen.sessions.some(known => isSame(known, session))) chosen.sessions.push(session)
    } catch (error) {
      if (!(error instanceof RethreadError) || error.code === 'usage') throw error
      chosen.failures.push(failureOf('', error, name))
    }
  }
  return chosen
}

function isSame(a: SessionRef, b: SessionRef): boolean {
  return a.agent === b.agent && a.sessionId === b.sessionId && a.filePath === b.filePath
}
