// What tests ask of a reading.

import type { Agent } from '../../src/agents/agent.ts'
import type { Environment } from '../../src/agents/environment.ts'
import { agents } from '../../src/agents/index.ts'
import { type Found, locationsOf, type ReadOptions, type Resume, storeOf } from '../../src/agents/store.ts'
import type { Message } from '../../src/model/message.ts'
import { collect, type Reading, type SessionFacts } from '../../src/model/reading.ts'
import type { SessionRef } from '../../src/model/session.ts'

export function agentNamed(id: string): Agent {
  const agent = agents.find(candidate => candidate.id === id)
  if (agent === undefined) throw new Error(`There is no agent ${id} in the list.`)
  return agent
}

/** What the store of a session makes of it. */
export function readFrom(agent: Agent, session: SessionRef, options?: ReadOptions): Reading {
  return storeOf(agent, session).read(session, options)
}

export function resumeFrom(agent: Agent, session: SessionRef, facts: SessionFacts): Resume {
  return storeOf(agent, session).resume(session, facts)
}

/** The first store of the agent that takes a file outside of it. */
export function recognisedBy(agent: Agent, path: string, head: Buffer) {
  for (const { name, recognise } of agent.stores) {
    const sessionId = recognise?.(path, head)
    if (sessionId !== undefined) return { sessionId, generation: name }
  }
  return undefined
}

export async function discoverAll(agent: Agent, environment: Environment): Promise<Found[]> {
  const found: Found[] = []
  for (const { store, location } of locationsOf(agent, environment))
    for await (const item of store.discover(location, { environment, busyMs: 300 })) found.push(item)
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
  return { session, ...(await collect(readFrom(agent, session))) }
}

/** What the store says of each session, to see whether it says something else later. */
export async function identitiesOf(agent: Agent, environment: Environment): Promise<Record<string, string>> {
  const sessions = await discoverSessions(agent, environment)
  return Object.fromEntries(sessions.map(session => [session.sessionId, session.identity]))
}
