// For each agent: whether it is present, where its stores are, and how many sessions they hold.
import type { Agent } from '../agents/agent.ts'
import { locationsOf } from '../agents/store.ts'
import { exists } from '../disk/files/read.ts'
import type { Failure } from '../model/errors.ts'
import { failureOf } from '../model/errors.ts'
import type { Context } from './context.ts'
import { findInStore } from './find-all.ts'

export interface FoundAgent {
  id: string
  title: string
  found: boolean
  sessions: number
  subagents: number
  stores: FoundStore[]
}

export interface FoundStore {
  path: string
  generation: string
  kind: string
  found: boolean
  sessions: number
}

export async function findAgents(context: Context): Promise<{ agents: FoundAgent[]; failures: Failure[] }> {
  const agents: FoundAgent[] = []
  const failures: Failure[] = []
  for (const agent of context.agents) agents.push(await findAgent(context, agent, failures))
  return { agents, failures }
}

async function findAgent(context: Context, agent: Agent, failures: Failure[]): Promise<FoundAgent> {
  const result: FoundAgent = { id: agent.id, title: agent.title, found: false, sessions: 0, subagents: 0, stores: [] }
  for (const located of locationsOf(agent, context.environment)) {
    const { name: generation, title: kind } = located.store
    const { path } = located.location
    const isHere = isThere(agent, path, failures)
    const inStore = isHere ? await findInStore(context, agent, located) : { sessions: [], failures: [] }
    const main = inStore.sessions.filter(session => session.subagentOf === undefined).length
    failures.push(...inStore.failures)
    result.sessions += main
    result.subagents += inStore.sessions.length - main
    result.found ||= isHere
    result.stores.push({ path, generation, kind, found: isHere, sessions: main })
  }
  return result
}

function isThere(agent: Agent, path: string, failures: Failure[]): boolean {
  try {
    return exists(path)
  } catch (error) {
    failures.push(failureOf(agent.id, error, path))
    return false
  }
}
