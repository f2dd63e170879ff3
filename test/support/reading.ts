// What tests ask of a reading.

import type { Agent, Found } from '../../src/agents/agent.ts'
import type { Environment } from '../../src/agents/environment.ts'
import { agents } from '../../src/agents/index.ts'
import type { Message } from '../../src/model/message.ts'
import { collect } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'

export function agentNamed(id: string): Agent {
  const agent = agents.find(candidate => candidate.id === id)
  if (agent === undefined) throw new Error(`There is no agent ${id} in the list.`)
  return agent
}

export async function discoverAll(agent: Agent, environment: Environment): Promise<Found[]> {
  const found: Found[] = []
  for (const store of agent.stores(environment))
    for await (const item of agent.discover(store, { environment, busyMs: 300 })) found.push(item)
  return found
}

export async function discoverSessions(agent: Agent, environment: Environment): Promise<SessionRef[]> {
  return (await discoverAll(agent, environment)).flatMap(item => (item.type === 'session' ? [item.session] : []))
}

export async function findSession(agent: Agent, environment: Environment, sessionId: string): Promise<SessionRef> {
  const sessions = await discoverSessions(agent, environment)
  const session = sessions.find(candidate => candidate.sessionId === sessionId)
  if (session === undefined)
    throw new Error(`Session ${sessionId} was not found among: ${sessions.map(s => s.sessionId).join(', ')}`)
  return session
}

/** The conversation as a flat list of who said what: what a damaged reading is compared with. */
export function said(messages: Message[]): string[] {
  return messages.flatMap(message => message.parts.map(part => `${message.role}: ${JSON.stringify(part)}`))
}

/** One session of a store, found and read. */
export async function readNamed(agent: Agent, environment: Environment, sessionId: string) {
  const session = await findSession(agent, environment, sessionId)
  return { session, ...(await collect(agent.read(session))) }
}

/** What the store says of each session, to see whether it says something else later. */
export async function identitiesOf(agent: Agent, environment: Environment): Promise<Record<string, string>> {
  const sessions = await discoverSessions(agent, environment)
  return Object.fromEntries(sessions.map(session => [session.sessionId, session.identity]))
}
