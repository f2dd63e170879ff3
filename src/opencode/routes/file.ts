// Files in the folder of a call: list, read, and changes.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import { listNodes } from '../files/list-folder.ts'
import { readContent } from '../files/read-content.ts'
import { headersOf } from '../files/skipped.ts'
import { listChanges } from '../git/changes.ts'
import { folderOfCall, untilClientLeaves } from './common.ts'

const listSchema = z.object({ path: z.string().default('') })
const contentSchema = z.object({ path: z.string().min(1) })

export function addFiles(app: OpenCodeApp): void {
  app.get('/file', async context => {
    const { path } = listSchema.parse(context.req.query())
    const { nodes, leftOut } = listNodes(await folderOfCall(context), path)
    return context.json(nodes, 200, headersOf(leftOut))
  })
  app.get('/file/content', async context => {
    const { path } = contentSchema.parse(context.req.query())
    return context.json(await readContent(await folderOfCall(context), path))
  })
  app.get('/file/status', async context => {
    const folder = await folderOfCall(context)
    const changes = await untilClientLeaves(
      context.var.api.bus,
      context.req.raw.signal,
      async signal => await listChanges({ folder, since: 'commit', variables: process.env, signal }),
    )
    // Outside a repository nothing counts as changed.
    return context.json(
      (changes ?? []).map(({ file, additions, deletions, status }) => ({
        path: file,
        added: additions,
        removed: deletions,
        status,
      })),
    )
  })
}
