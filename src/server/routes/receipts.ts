// The receipts of repairs, and their backup copies.
import { basename } from 'node:path'
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { receiptSchema } from '../api.ts'
import type { App } from '../http.ts'
import { apiReceipts, openBackup } from '../receipts.ts'
import type { Services } from '../services.ts'
import { failures, jsonResponse } from './common.ts'

const list = createRoute({
  method: 'get',
  path: '/api/receipts',
  summary: 'All repairs, newest first',
  responses: { 200: jsonResponse(z.object({ receipts: z.array(receiptSchema) }), 'The receipts.'), ...failures },
})
const backup = createRoute({
  method: 'get',
  path: '/api/receipts/{id}/backup',
  summary: 'The file as it was before the repair',
  request: { params: z.object({ id: z.string().min(1).max(200) }) },
  responses: {
    200: { description: 'The copy.', content: { 'application/octet-stream': { schema: z.string() } } },
    ...failures,
  },
})

export function addReceipts(app: App, services: Services): void {
  app.openapi(list, context => context.json({ receipts: apiReceipts(services) }, 200))
  app.openAPIRegistry.registerPath(backup)
  app.get('/api/receipts/:id/backup', async context => {
    const { stream, size, path } = openBackup(services, context.req.param('id'))
    context.header('content-type', 'application/octet-stream')
    context.header('content-length', String(size))
    context.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(basename(path))}`)
    if (context.req.method !== 'HEAD') return context.body(stream, 200)
    // A HEAD request never reads or closes the stream.
    await stream.cancel()
    return context.body(null, 200)
  })
}
