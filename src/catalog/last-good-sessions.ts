// The sessions that a database held when it was last read, for use while it is locked. Loaded only when
// needed.
import type { Agent } from '../agents/agent.ts'
import type { Location } from '../agents/store.ts'
import { openCacheTable } from '../disk/state/state.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'

export function storeLastGood(context: Context, agent: Agent, location: Location, sessions: SessionRef[]): void {
  withCacheTable(context, cache => cache.set(`${agent.id}\n${location.path}`, JSON.stringify(sessions)))
}

export async function readLastGood(
  context: Context,
  agent: Agent,
  location: Location,
): Promise<SessionRef[] | undefined> {
  const stored = withCacheTable(context, cache => cache.get(`${agent.id}\n${location.path}`))
  const parsed = stored === undefined ? undefined : (await makeStoredShape()).safeParse(JSON.parse(stored))
  return parsed?.success === true ? parsed.data.map(session => ({ ...session, isFromMemory: true })) : undefined
}

/** zod is loaded here alone: every list stores sessions, and few find a locked database. */
async function makeStoredShape() {
  const { z } = await import('zod')
  return z.array(
    z.object({
      agent: z.string(),
      sessionId: z.string(),
      filePath: z.string(),
      generation: z.string(),
      storeRoot: z.string(),
      updatedAt: z.number(),
      fileSize: z.number(),
      ownBytes: z.number().optional(),
      identity: z.string(),
      title: z.string().optional(),
      project: z.string().optional(),
      messageCount: z.number().optional(),
      subagentOf: z.string().optional(),
    }),
  )
}

function withCacheTable<T>(context: Context, use: (cache: ReturnType<typeof openCacheTable>) => T): T | undefined {
  try {
    const cache = openCacheTable(context.state, 'stores-1')
    try {
      return use(cache)
    } finally {
      cache.close()
    }
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    context.log.debug('Stores cannot be remembered.', { code: error.code, path: error.path })
    return undefined
  }
}
