// Features that rethread does not have: MCP servers, language servers, formatters, and event sync. Agents
// configure their own MCP servers.
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

export function addLsp(app: OpenCodeApp): void {
  app.get('/lsp', context => context.json([]))
}

export function addFormatters(app: OpenCodeApp): void {
  app.get('/formatter', context => context.json([]))
}

// OpenCode clients can fetch and replay its events. The journal stores ACP messages instead.

const OTHER_JOURNAL =
  'The journal contains the messages of the agents, not the events of this API. Fetch the sessions instead.'

export function addSync(app: OpenCodeApp): void {
  refuseAll(app, [
    ['post', '/sync/history', OTHER_JOURNAL],
    ['post', '/sync/replay', OTHER_JOURNAL],
    ['post', '/sync/start', OTHER_JOURNAL],
    ['post', '/sync/steal', OTHER_JOURNAL],
  ])
}
