// Describes each agent for the page: whether it is installed, where its sessions were searched for, and what
// it deletes automatically. Reads the disk, so it runs in a thread.
import type { Agent, Retention } from '../agents/agent.ts'
import type { LocatedStore } from '../agents/store.ts'
import type { Context } from '../catalog/context.ts'
import { storesOf } from '../catalog/find-all.ts'
import { exists } from '../disk/files/read.ts'
import type { Failure } from '../model/errors.ts'
import { failureOf, RethreadError } from '../model/errors.ts'
import type { AgentFacts } from './sessions/list-thread/messages.ts'

export interface StoreCount {
  sessions: number
  subagents: number
}

export function storeName(agent: Pick<Agent, 'id'>, { store, location }: LocatedStore): string {
  return [agent.id, store.name, location.path].join('\n')
}

/**
 * `counts` has an entry for each store that was scanned. Settings that cannot be read are added to
 * `failures`.
 */
export function describeAgents(
  context: Context,
  counts: ReadonlyMap<string, StoreCount>,
  failures: Failure[],
): AgentFacts[] {
  return context.agents.map(agent => {
    // The scan reports stores that cannot be located.
    const stores = storesOf(context, agent, []).map(located => describeStore(agent, located, counts))
    const retention = retentionOf(context, agent, failures)
    return {
      id: agent.id,
      title: agent.title,
      found: stores.some(store => store.found),
      sessions: stores.reduce((sum, store) => sum + store.sessions, 0),
      subagents: stores.reduce((sum, store) => sum + store.subagents, 0),
      stores: stores.map(({ path, kind, found, sessions }) => ({ path, kind, found, sessions })),
      retention: retention === undefined ? null : shownRetention(retention),
      deletesFrom: retention?.countsFrom ?? null,
      canResume: canResume(agent),
    }
  })
}

function describeStore(agent: Agent, located: LocatedStore, counts: ReadonlyMap<string, StoreCount>) {
  const { sessions, subagents } = counts.get(storeName(agent, located)) ?? { sessions: 0, subagents: 0 }
  const { path } = located.location
  return { path, kind: located.store.title, found: isThere(path), sessions, subagents }
}

/** A store without permission exists. The scan reports what is wrong with it. */
function isThere(path: string): boolean {
  try {
    return exists(path)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return true
  }
}

function retentionOf(context: Context, agent: Agent, failures: Failure[]): Retention | undefined {
  try {
    const retention = agent.retention?.(context.environment)
    if (retention?.failure !== undefined) failures.push(retention.failure)
    return retention
  } catch (error) {
    failures.push(failureOf(agent.id, error))
    return undefined
  }
}

function shownRetention({ days, file, setting, isDefault }: Retention): AgentFacts['retention'] {
  return { days, file, setting, isDefault }
}

/** Whether the agent has a way to resume a session of any of its stores. */
function canResume(agent: Agent): boolean {
  return agent.stores.some(({ name: generation, resume }) => {
    const session = { agent: agent.id, sessionId: 'any', filePath: '', generation, storeRoot: '' }
    return resume({ ...session, updatedAt: 0, fileSize: 0, identity: '' }, {}).type === 'command'
  })
}
