// MCP servers that the other server would connect to. rethread connects to none: what an agent has of them is the agent's own.
import type { OpenCodeApp } from '../api.ts'
import { refuseAll } from './common.ts'

const NONE = 'rethread does not connect to MCP servers: each agent configures its own.'

export function addMcp(app: OpenCodeApp): void {
  app.get('/mcp', context => context.json({}))
  refuseAll(app, [
    ['post', '/mcp', NONE],
    ['post', '/mcp/:name/connect', NONE],
    ['post', '/mcp/:name/disconnect', NONE],
    ['post', '/mcp/:name/auth', NONE],
    ['delete', '/mcp/:name/auth', NONE],
    ['post', '/mcp/:name/auth/callback', NONE],
    ['post', '/mcp/:name/auth/authenticate', NONE],
  ])
}
