// All sessions of all agents. A failing agent, store or session becomes part of the result and never hides
// the others.
import type { Agent } from '../agents/agent.ts'
import { type Found, type LocatedStore, type Location, locationsOf } from '../agents/store.ts'
import { foundFiles } from '../agents/stores/list-folders.ts'
import { exists } from '../disk/files/read.ts'
import { readChangedFiles } from '../disk/vault/changed-files.ts'
import type { Failure } from '../model/errors.ts'
import { failureOf, hasErrorCode, RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'

export interface FoundSessions {
  sessions: SessionRef[]
  failures: Failure[]
}

/**
 * Every session, newest first, without reading any. All stores are scanned at once, so that a locked one does
 * not delay the others.
 */
export async function findSessions(
  context: Context,
  wanted: readonly Agent[] = context.agents,
): Promise<FoundSessions> {
  const failures: Failure[] = []
  const searches = wanted.flatMap(agent =>
    storesOf(context, agent, failures).map(located => findInStore(context, agent, located)),
  )
  const found = await Promise.all(searches)
  const sessions = found.flatMap(inStore => inStore.sessions)
  sessions.sort((a, b) => b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1))
  return { sessions, failures: [...failures, ...found.flatMap(inStore => inStore.failures)] }
}

/** Those that only the archive has. Most people have none, so its modules are loaded only where there is one. */
export async function findArchivedIfAny(context: Context, present: readonly SessionRef[]): Promise<SessionRef[]> {
  if (!exists(context.archive)) return []
  const { findArchived } = await import('../archive/archived-sessions.ts')
  return await findArchived(context, present)
}

/** Every store of the agent, at each of its locations. */
export function storesOf(context: Context, agent: Agent, failures: Failure[]): LocatedStore[] {
  try {
    return locationsOf(agent, context.environment)
  } catch (error) {
    failures.push(failureOf(agent.id, error))
    return []
  }
}

export async function findInStore(context: Context, agent: Agent, located: LocatedStore): Promise<FoundSessions> {
  const { store, location, environment } = located
  const found: FoundSessions = { sessions: [], failures: [] }
  const isDatabase = store.traits.framing === 'sqlite'
  const wait = context.busyMs === undefined ? {} : { busyMs: context.busyMs }
  try {
    if (!exists(location.path)) return found
    const marked = isDatabase ? makeMark(context) : (session: SessionRef): SessionRef => session
    const add = (item: Found): void => {
      if (item.type === 'session') found.sessions.push(marked(item.session))
      else found.failures.push(item.failure)
    }
    // Without waiting for each of thousands of files.
    if (store.listFiles !== undefined)
      for (const item of foundFiles(agent.id, location, store.listFiles(location))) add(item)
    else for await (const item of store.discover(location, { environment, ...wait })) add(item)
    // A store of several databases reports a locked one among its failures.
    if (found.failures.some(failure => failure.code === 'database-busy'))
      return { ...found, sessions: await withLastGood(context, agent, location, found.sessions) }
    if (isDatabase && found.sessions.length > 0) {
      const { storeLastGood: rememberStore } = await import('./last-good-sessions.ts')
      rememberStore(context, agent, location, found.sessions)
    }
    return found
  } catch (error) {
    if (!hasErrorCode(error, 'database-busy'))
      return { ...found, failures: [...found.failures, failureOf(agent.id, error, location.path)] }
    return {
      sessions: await withLastGood(context, agent, location, found.sessions),
      failures: [...found.failures, failureOf(agent.id, error, location.path)],
    }
  }
}

/**
 * For a session that shares its file with others, its store does not show every change that rethread made.
 */
function makeMark(context: Context): (session: SessionRef) => SessionRef {
  try {
    const altered = readChangedFiles(context.state)
    return session => {
      const mark = altered(session.filePath)
      return mark === undefined ? session : { ...session, identity: `${session.identity}~${mark}` }
    }
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    context.log.debug('What rethread changed cannot be read.', { code: error.code, path: error.path })
    return session => session
  }
}

/** The sessions that were found, and cached ones for files that were locked. */
async function withLastGood(
  context: Context,
  agent: Agent,
  location: Location,
  found: readonly SessionRef[],
): Promise<SessionRef[]> {
  const { readLastGood: recallStore } = await import('./last-good-sessions.ts')
  const files = new Set(found.map(session => session.filePath))
  const lastGood = (await recallStore(context, agent, location)) ?? []
  return [...found, ...lastGood.filter(session => !files.has(session.filePath))]
}
