// GET /api/overview: figures about all sessions.
import { createRoute } from '@hono/zod-openapi'
import { overviewSchema } from '../api.ts'
import type { App } from '../http.ts'
import { apiReceipts } from '../receipts.ts'
import type { Services } from '../services.ts'
import { keyOfSession } from '../sessions/index.ts'
import { failures, jsonResponse } from './common.ts'

const SHOWN_REPAIRS = 8

const route = createRoute({
  method: 'get',
  path: '/api/overview',
  summary: 'Conversations by day and agent, health, the largest, those deleted soon, the last repairs',
  responses: { 200: jsonResponse(overviewSchema, 'Figures about all sessions.'), ...failures },
})

export function addOverview(app: App, services: Services): void {
  app.openapi(route, async context => {
    const receipts = apiReceipts(services).slice(0, SHOWN_REPAIRS)
    const figures = services.sessions.overview(receipts)
    const soon = figures.expiring.flatMap(({ session }) => services.sessions.get(session.key)?.session ?? [])
    const archived = new Set([...(await services.archive.current(soon))].map(keyOfSession))
    const expiring = figures.expiring.map(each => ({ ...each, isArchived: archived.has(each.session.key) }))
    return context.json({ ...figures, expiring }, 200)
  })
}
