// GET /api/agents: the agents, their stores, and what they delete automatically.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { agentSchema } from '../api.ts'
import type { App } from '../http.ts'
import type { Services } from '../services.ts'
import { failures, jsonResponse } from './common.ts'

const route = createRoute({
  method: 'get',
  path: '/api/agents',
  summary: 'Each agent: found or not, where its stores are, how many sessions',
  responses: { 200: jsonResponse(z.object({ agents: z.array(agentSchema) }), 'All known agents.'), ...failures },
})

export function addAgents(app: App, services: Services): void {
  app.openapi(route, async context => context.json({ agents: await services.agents() }, 200))
}
