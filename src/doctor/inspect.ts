// Asks every store which of its sessions the agent's own list shows.
import type { Agent } from '../agents/agent.ts'
import type { Inspection, ListedPlace, StoreListing } from '../agents/listing.ts'
import type { Context } from '../catalog/context.ts'
import { findInStore, storesOf } from '../catalog/find-all.ts'
import { type Failure, failureOf } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { ExaminedSession } from './report.ts'

/** One location of one store, with what its listing says. */
export interface InspectedPlace {
  agent: Agent
  place: ListedPlace
  listing: StoreListing
  inspection: Inspection
}

export interface InspectedAll {
  places: InspectedPlace[]
  /** Every session on disk, of stores without a listing too. */
  sessions: SessionRef[]
  failures: Failure[]
}

export interface InspectOptions {
  agents?: readonly Agent[]
  onProgress?(done: number, total: number): void
}

export async function inspectAll(context: Context, { agents, onProgress }: InspectOptions = {}): Promise<InspectedAll> {
  const all: InspectedAll = { places: [], sessions: [], failures: [] }
  const wanted = (agents ?? context.agents).filter(({ isJournal }) => isJournal !== true)
  const located = wanted.flatMap(agent => storesOf(context, agent, all.failures).map(each => ({ agent, ...each })))
  for (const [index, { agent, ...each }] of located.entries()) {
    onProgress?.(index, located.length)
    const { sessions, failures } = await findInStore(context, agent, each)
    all.sessions.push(...sessions)
    all.failures.push(...failures)
    const listing = await each.store.listing?.()
    if (listing === undefined || sessions.some(({ isFromMemory }) => isFromMemory === true)) continue
    const place = { location: each.location, environment: each.environment, sessions }
    try {
      const inspection = await listing.inspect(place)
      all.places.push({ agent, place, listing, inspection })
      // What the listing judges is a finding, and not a store that could not be examined.
      const judged = new Set(inspection.broken?.map(({ file }) => file))
      all.failures = all.failures.filter(({ path }) => !judged.has(path))
    } catch (error) {
      all.failures.push(failureOf(agent.id, error, each.location.path))
    }
  }
  onProgress?.(located.length, located.length)
  return all
}

/** Subagents belong to their session and are not listed on their own. */
export function describeSessions({ places, sessions }: InspectedAll): ExaminedSession[] {
  const states = new Map(places.flatMap(({ inspection }) => [...inspection.states]))
  return sessions
    .filter(({ subagentOf }) => subagentOf === undefined)
    .map(session => {
      const { agent, sessionId, filePath, project } = session
      const state = states.get(session)
      const folder = state?.folder ?? project ?? null
      const common = { agent, sessionId, filePath, folder }
      if (state === undefined) return { ...common, state: 'unknown' }
      return state.reason === undefined
        ? { ...common, state: 'listed' }
        : { ...common, state: 'unlisted', reason: state.reason }
    })
}
