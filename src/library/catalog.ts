// All sessions of all agents. An agent, a store or a session that fails is part of the answer and never hides the others.
import { z } from 'zod'
import type { Agent, Store } from '../agents/agent.ts'
import { openShelf } from '../disk/state.ts'
import type { Failure } from '../model/errors.ts'
import { failureOf, hasErrorCode, RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'

export interface FoundSessions {
  sessions: SessionRef[]
  failures: Failure[]
}

/** Every session there is, newest first, without reading any. All stores at once, so that one that is locked holds up none of the others. */
export async function findSessions(
  context: Context,
  wanted: readonly Agent[] = context.agents,
): Promise<FoundSessions> {
  const failures: Failure[] = []
  const searches = wanted.flatMap(agent =>
    storesOf(context, agent, failures).map(store => findInStore(context, agent, store)),
  )
  const found = await Promise.all(searches)
  const sessions = found.flatMap(inStore => inStore.sessions)
  sessions.sort((a, b) => b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1))
  return { sessions, failures: [...failures, ...found.flatMap(inStore => inStore.failures)] }
}

function storesOf(context: Context, agent: Agent, failures: Failure[]): Store[] {
  try {
    return agent.stores(context.environment)
  } catch (error) {
    failures.push(failureOf(agent.id, error))
    return []
  }
}

export async function findInStore(context: Context, agent: Agent, store: Store): Promise<FoundSessions> {
  const found: FoundSessions = { sessions: [], failures: [] }
  const wait = context.busyMs === undefined ? {} : { busyMs: context.busyMs }
  try {
    for await (const item of agent.discover(store, { environment: context.environment, ...wait })) {
      if (item.type === 'session') found.sessions.push(item.session)
      else found.failures.push(item.failure)
    }
    if (isDatabase(agent, store)) rememberStore(context, agent, store, found.sessions)
    return found
  } catch (error) {
    const remembered = hasErrorCode(error, 'database-busy') ? recallStore(context, agent, store) : undefined
    return {
      sessions: remembered ?? found.sessions,
      failures: [...found.failures, failureOf(agent.id, error, store.path)],
    }
  }
}

function isDatabase(agent: Agent, store: Store): boolean {
  return agent.generations[store.generation]?.traits.framing === 'sqlite'
}

const rememberedShape = z.array(
  z.object({
    agent: z.string(),
    sessionId: z.string(),
    filePath: z.string(),
    generation: z.string(),
    storeRoot: z.string(),
    updatedAt: z.number(),
    fileSize: z.number(),
    identity: z.string(),
    title: z.string().optional(),
    project: z.string().optional(),
    messageCount: z.number().optional(),
    subagentOf: z.string().optional(),
  }),
)

function rememberStore(context: Context, agent: Agent, store: Store, sessions: SessionRef[]): void {
  if (sessions.length === 0) return
  withShelf(context, shelf => shelf.set(`${agent.id}\n${store.path}`, JSON.stringify(sessions)))
}

function recallStore(context: Context, agent: Agent, store: Store): SessionRef[] | undefined {
  const stored = withShelf(context, shelf => shelf.get(`${agent.id}\n${store.path}`))
  const parsed = stored === undefined ? undefined : rememberedShape.safeParse(JSON.parse(stored))
  return parsed?.success === true ? parsed.data.map(session => ({ ...session, isFromMemory: true })) : undefined
}

function withShelf<T>(context: Context, use: (shelf: ReturnType<typeof openShelf>) => T): T | undefined {
  try {
    const shelf = openShelf(context.state, 'stores-1')
    try {
      return use(shelf)
    } finally {
      shelf.close()
    }
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    context.log.debug('Stores cannot be remembered.', { code: error.code, path: error.path })
    return undefined
  }
}
