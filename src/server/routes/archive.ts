// The archive: restore points of a session, what changed between them, restores, and the status.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import {
  archiveStatusSchema,
  differenceQuerySchema,
  differenceSchema,
  restoreBodySchema,
  restoredSchema,
  seenBodySchema,
  versionsQuerySchema,
  versionsSchema,
} from '../api.ts'
import type { App } from '../http.ts'
import { MAX_COUNTED_BYTES, VERSIONS_SHOWN } from '../limits.ts'
import type { Services } from '../services.ts'
import { keyOfSession } from '../sessions/index.ts'
import { apiVerdict } from '../verdict.ts'
import { failures, jsonBody, jsonResponse, keyParameter, servedBy } from './common.ts'

/** Of a title in a notice. */
const MAX_TITLE = 100

const versions = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/versions',
  summary: 'The restore points of a session, newest first; GET its messages with ?version=NUMBER',
  request: { params: keyParameter, query: versionsQuerySchema },
  responses: { 200: jsonResponse(versionsSchema, 'The restore points.'), ...failures },
})
const difference = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/difference',
  summary: 'What changed between two restore points: messages that came, went or are different',
  request: { params: keyParameter, query: differenceQuerySchema },
  responses: { 200: jsonResponse(differenceSchema, 'The difference.'), ...failures },
})
const restore = createRoute({
  method: 'post',
  path: '/api/sessions/{key}/restore',
  summary: 'Restore a session from the archive, where its agent finds it; what is there now is archived before',
  request: { params: keyParameter, body: jsonBody(restoreBodySchema) },
  responses: { 200: jsonResponse(restoredSchema, 'It is restored. The receipt can be undone.'), ...failures },
})
const status = createRoute({
  method: 'get',
  path: '/api/archive',
  summary: 'What is archived of each agent, what is behind, and notices',
  responses: { 200: jsonResponse(archiveStatusSchema, 'The same as "rethread archive status --json".'), ...failures },
})
const seen = createRoute({
  method: 'post',
  path: '/api/archive/seen',
  summary: 'Do not show the notices of past events again',
  request: { body: jsonBody(seenBodySchema) },
  responses: { 200: jsonResponse(z.object({ done: z.literal(true) }), 'They are marked as seen.'), ...failures },
})

export function addArchive(app: App, services: Services): void {
  const { archive, checks, sessions } = services
  app.openapi(versions, async context => {
    const { session } = servedBy(services, context.req.valid('param').key)
    const { limit = VERSIONS_SHOWN, counts = 'yes' } = context.req.valid('query')
    const maxBytes = counts === 'yes' ? MAX_COUNTED_BYTES : 0
    const list = await archive.versions(session, { limit, maxBytes })
    if (list === null) return context.json({ isArchived: false, versions: [], more: 0, canBeNew: false }, 200)
    const { versions: points, more, canBeNew } = list
    return context.json({ isArchived: true, versions: points, more, canBeNew }, 200)
  })
  app.openapi(difference, async context => {
    const { session } = servedBy(services, context.req.valid('param').key)
    const { from, to } = context.req.valid('query')
    return context.json(await archive.compare(session, from, to), 200)
  })
  app.openapi(restore, async context => {
    const { key } = context.req.valid('param')
    servedBy(services, key)
    const { version: number, at, asNew = false, force = false } = context.req.valid('json')
    const time = at === undefined ? undefined : Date.parse(at)
    const { result, verdict } = await checks.alter(key, session =>
      archive.restore({ session, number, time, asNew, force }),
    )
    const { agent, files, ...restored } = result
    const own = keyOfSession({ agent, ...restored })
    // Without this, the new session would be listed only after the next scan.
    if (own !== key) await findNew(own, key)
    return context.json({ ...restored, key: own, files: files.length, verdict: apiVerdict(services, verdict) }, 200)
  })
  app.openapi(status, async context => {
    const found = await archive.status()
    const notices = found.notices.map(notice => {
      const served = notice.sessionId === undefined ? undefined : sessions.find(notice.sessionId)
      if (served === undefined) return notice
      const { sessionId, title } = served.row
      // Most stores say the title only when a session is read, which the archive need not do.
      const text = title === null ? notice.text : notice.text.replace(sessionId, () => title.slice(0, MAX_TITLE))
      return { ...notice, text, key: served.key }
    })
    return context.json({ ...found, notices }, 200)
  })
  app.openapi(seen, async context => {
    const { until } = context.req.valid('json')
    await archive.markSeen(until === undefined ? Date.now() : Date.parse(until))
    return context.json({ done: true as const }, 200)
  })

  async function findNew(key: string, from: string): Promise<void> {
    const session = sessions.get(from)?.session
    if (session !== undefined && sessions.get(key) === undefined)
      await sessions.scanStore(session.agent, session.storeRoot)
  }
}
