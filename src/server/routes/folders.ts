// POST /api/folders: allows OpenCode clients to work in a folder, in addition to those of conversations and
// of the configuration.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { requireFolder } from '../../disk/files/named-folder.ts'
import type { App } from '../http.ts'
import type { Services } from '../services.ts'
import { failures, jsonResponse } from './common.ts'

const MAX_FOLDER_CHARS = 4096
const schema = z.object({ folder: z.string().min(1).max(MAX_FOLDER_CHARS) })

const allow = createRoute({
  method: 'post',
  path: '/api/folders',
  summary: 'Allow clients of the OpenCode-compatible API to work in a folder until the server stops',
  request: { body: { content: { 'application/json': { schema } }, required: true } },
  responses: { 200: jsonResponse(schema, 'Access is allowed.'), ...failures },
})

export function addFolders(app: App, { opencode }: Services): void {
  app.openapi(allow, context => {
    const { folder } = context.req.valid('json')
    requireFolder(folder)
    opencode.allow(folder)
    return context.json({ folder }, 200)
  })
}
