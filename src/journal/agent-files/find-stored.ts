// Finds the session in a known store, by the name of a configured agent and the id that the agent gave it.
import type { Agent } from '../../agents/agent.ts'
import type { Context } from '../../catalog/context.ts'
import { findSessions } from '../../catalog/find-all.ts'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'

export interface StoredSession {
  type: 'found'
  agent: Agent
  sessionId: string
  /** Newest first. Some agents write another file for a session each time they load it. */
  sessions: [SessionRef, ...SessionRef[]]
}

export type SessionLookup = StoredSession | { type: 'unknown'; text: string }

export async function findStored(
  context: Context,
  storeOf: Readonly<Record<string, string>>,
  name: string,
  sessionId: string,
): Promise<SessionLookup> {
  const agent = agentNamed(context, storeOf, name)
  if (agent === undefined) return { type: 'unknown', text: `The session store of ${name} is not known.` }
  const [first, ...others] = await findById(context, agent, sessionId)
  if (first === undefined) return { type: 'unknown', text: `${agent.title} has no session ${sessionId} in its store.` }
  return { type: 'found', agent, sessionId, sessions: [first, ...others] }
}

/** Failures that can hide an existing session. */
const HIDING = new Set<ErrorCode>(['database-busy', 'permission-denied', 'io-error', 'too-many-open-files'])

/** Throws where the session is not found and part of the store could not be read: it may still exist. */
export async function findById(context: Context, agent: Agent, sessionId: string): Promise<SessionRef[]> {
  const { sessions, failures } = await findSessions(context, [agent])
  const found = sessions.filter(session => session.sessionId === sessionId)
  const failure = failures.find(({ code }) => HIDING.has(code))
  if (found.length > 0 || failure === undefined) return found
  const { code, text, hint, path } = failure
  throw new RethreadError({ code, text, hint, path })
}

function agentNamed(context: Context, storeOf: Readonly<Record<string, string>>, name: string): Agent | undefined {
  const id = Object.hasOwn(storeOf, name) ? storeOf[name] : undefined
  return context.agents.find(agent => (id === undefined ? agent.acp?.().name === name : agent.id === id))
}
