// Routes that newer clients call at start. rethread has almost none of these features.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import { refuseAll } from './common.ts'

const NO_TOOLS = 'Agents have their own tools, and ACP does not list them.'
const NO_WORKTREES = 'rethread does not create working trees: an agent works in the folder of its session.'
const NO_WORKSPACES = 'rethread has no workspaces: everything runs on this machine.'
const NO_CONSOLE = 'rethread does not sign in anywhere.'

const listSchema = z.object({
  search: z.string().optional(),
  roots: z.enum(['true', 'false']).optional(),
  archived: z.enum(['true', 'false']).optional(),
  start: z.coerce.number().optional(),
  limit: z.coerce.number().int().positive().optional(),
})

export function addExperimental(app: OpenCodeApp): void {
  app.get('/experimental/capabilities', context => context.json({ backgroundSubagents: false }))
  app.get('/experimental/console', context => context.json({ consoleManagedProviders: [], switchableOrgCount: 0 }))
  app.get('/experimental/console/orgs', context => context.json({ orgs: [] }))
  app.get('/experimental/resource', context => context.json({}))
  for (const path of ['worktree', 'workspace', 'workspace/status', 'workspace/adapter'])
    app.get(`/experimental/${path}`, context => context.json([]))
  app.get('/experimental/session', async context => {
    const wanted = listSchema.parse(context.req.query())
    const words = wanted.search?.toLowerCase()
    const listed = await context.var.api.sessions.list()
    const sessions = listed
      .map(({ session }) => session)
      .filter(({ title }) => words === undefined || title.toLowerCase().includes(words))
      .filter(({ parentID }) => wanted.roots !== 'true' || parentID === undefined)
      .filter(({ time }) => wanted.archived === 'true' || time.archived === undefined)
      .filter(({ time }) => wanted.start === undefined || time.updated >= wanted.start)
      .slice(0, wanted.limit)
    return context.json(
      sessions.map(session => ({
        ...session,
        project: { id: session.projectID, worktree: context.var.api.roots.rootOf(session.directory) },
      })),
    )
  })
  refuseAll(app, [
    ['get', '/experimental/tool', NO_TOOLS],
    ['get', '/experimental/tool/ids', NO_TOOLS],
    ['post', '/experimental/worktree', NO_WORKTREES],
    ['delete', '/experimental/worktree', NO_WORKTREES],
    ['post', '/experimental/worktree/reset', NO_WORKTREES],
    ['post', '/experimental/workspace', NO_WORKSPACES],
    ['delete', '/experimental/workspace/:id', NO_WORKSPACES],
    ['post', '/experimental/workspace/:action', NO_WORKSPACES],
    ['post', '/experimental/console/switch', NO_CONSOLE],
    ['post', '/experimental/control-plane/move-session', 'A session stays in the folder where its agent started it.'],
    [
      'post',
      '/experimental/session/:id/background',
      'Agents run their own subagents; ACP cannot move one to the background.',
    ],
  ])
}
