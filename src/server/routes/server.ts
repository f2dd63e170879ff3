// GET /api/health: the state and progress of the server.
import { createRoute } from '@hono/zod-openapi'
import { serverInfoSchema } from '../api.ts'
import type { App } from '../http.ts'
import { PROTOCOL_VERSION } from '../protocol.ts'
import type { Services } from '../services.ts'
import { failures, jsonResponse } from './common.ts'

const route = createRoute({
  method: 'get',
  path: '/api/health',
  summary: 'Report whether the server runs, and its progress',
  responses: { 200: jsonResponse(serverInfoSchema, 'It runs.'), ...failures },
})

export function addServer(app: App, services: Services): void {
  // Programs that start a server of this kind poll this path.
  app.get('/v1/health', context => context.json({ status: 'ok', version: services.version }))
  app.openapi(route, context =>
    context.json(
      {
        name: 'rethread' as const,
        version: services.version,
        protocol: PROTOCOL_VERSION,
        isDemo: services.isDemo,
        home: services.context.environment.home,
        uptimeSeconds: Math.round((Date.now() - services.startedAt) / 1000),
        state: services.isStopping() ? ('stopping' as const) : ('running' as const),
        progress: services.progress(),
        counts: services.sessions.counts(),
      },
      200,
    ),
  )
}
