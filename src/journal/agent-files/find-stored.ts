// From the name of a configured agent and the id it gave a session to the session in a store that we know.
import type { Agent } from '../../agents/agent.ts'
import type { Context } from '../../catalog/context.ts'
import { findSessions } from '../../catalog/find-all.ts'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'

export interface FoundSession {
  type: 'found'
  agent: Agent
  sessionId: string
  /** Newest first: some agents leave one more file for a session each time they load it. */
  sessions: [SessionRef, ...SessionRef[]]
}

export type SessionLookup = FoundSession | { type: 'unknown'; text: string }

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

/** What may keep a session from being found that is there. */
const HIDING = new Set<ErrorCode>(['database-busy', 'permission-denied', 'io-error', 'too-many-open-files'])

/** Throws where it is not found and part of the store could not be looked at: that is no sign that it is gone. */
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
