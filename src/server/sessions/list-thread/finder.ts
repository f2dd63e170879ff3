// Scans all stores, or those in one folder, and publishes the sessions of each store when it is done.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Agent } from '../../../agents/agent.ts'
import type { LocatedStore } from '../../../agents/store.ts'
import { findArchived } from '../../../archive/archived-sessions.ts'
import type { Context } from '../../../catalog/context.ts'
import { findInStore, storesOf } from '../../../catalog/find-all.ts'
import type { Failure } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { StoreCount } from '../../agents.ts'
import { storeName } from '../../agents.ts'
import { keyOfSession } from '../key.ts'
import type { ThreadCatalog } from './catalog.ts'

/** After this many sessions the thread yields to its other tasks. */
const SESSIONS_AT_ONCE = 200

export interface Finder {
  /** Returns the sessions that have to be read. */
  findAll(): Promise<SessionRef[]>
  findAt(agent: string, root: string): Promise<SessionRef[]>
  /** The failures of the last scan of each store. */
  failures(): Failure[]
  counts(): ReadonlyMap<string, StoreCount>
}

interface Place {
  agent: Agent
  located: LocatedStore
}

export function makeFinder(context: Context, catalog: ThreadCatalog): Finder {
  const counts = new Map<string, StoreCount>()
  const failuresAt = new Map<string, Failure[]>()
  let failuresOfAgents: Failure[] = []

  const placesOf = (failures: Failure[]): Place[] =>
    context.agents.flatMap(agent => storesOf(context, agent, failures).map(located => ({ agent, located })))

  const find = async (places: readonly Place[], isHere: (session: SessionRef) => boolean): Promise<SessionRef[]> => {
    const met = new Set<string>()
    const missing: SessionRef[] = []
    const failed = new Set<string>()
    const present: SessionRef[] = []
    const scan = async ({ agent, located }: Place): Promise<void> => {
      const { sessions, failures } = await findInStore(context, agent, located)
      present.push(...sessions)
      failuresAt.set(storeName(agent, located), failures)
      counts.set(storeName(agent, located), countOf(sessions))
      if (failures.length > 0) failed.add(rootName(agent.id, located.location.root))
      for (const [index, session] of sessions.entries()) {
        if (!addNew(met, keyOfSession(session))) continue
        if (catalog.meet(session)) missing.push(session)
        if (index % SESSIONS_AT_ONCE === SESSIONS_AT_ONCE - 1) await nextTurn()
      }
    }
    await Promise.all(places.map(scan))
    // Sessions that only the archive has stay listed.
    for (const session of await findArchived(context, present))
      if (isHere(session) && addNew(met, keyOfSession(session)) && catalog.meet(session)) missing.push(session)
    catalog.dropOthers(met, session => {
      if (!isHere(session)) return 'other-store'
      return failed.has(rootName(session.agent, session.storeRoot)) ? 'failed' : 'scanned'
    })
    return missing
  }
  return {
    async findAll() {
      failuresOfAgents = []
      const places = placesOf(failuresOfAgents)
      const failing = new Set(failuresOfAgents.map(failure => failure.agent))
      return await find(places, session => !failing.has(session.agent))
    },
    async findAt(agent, root) {
      const own = placesOf([]).filter(place => place.agent.id === agent)
      const places = own.filter(place => place.agent.sanitize === undefined && place.located.location.root === root)
      // Several stores can share a location. A scan shows which of them has the session.
      return await find(
        places.length === 0 ? own : places,
        session => session.agent === agent && session.storeRoot === root,
      )
    },
    failures: () => [...failuresOfAgents, ...[...failuresAt.values()].flat()],
    counts: () => counts,
  }
}

/** Stores of one agent can share a folder, so a session found there may belong to any of them. */
function rootName(agent: string, root: string): string {
  return `${agent}\n${root}`
}

function countOf(sessions: readonly SessionRef[]): StoreCount {
  const subagents = sessions.filter(session => session.subagentOf !== undefined).length
  return { sessions: sessions.length - subagents, subagents }
}

/** Two stores of an agent can list the same session. */
function addNew(met: Set<string>, key: string): boolean {
  if (met.has(key)) return false
  met.add(key)
  return true
}
