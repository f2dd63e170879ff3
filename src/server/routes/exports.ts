// GET /api/sessions/KEY/export: the conversation as one file.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS, exportFileName } from '../../export/index.ts'
import { exportedSchema } from '../api.ts'
import type { App } from '../http.ts'
import type { Services } from '../services.ts'
import { failures, keyParameter, servedBy } from './common.ts'

const exportQuery = z.object({
  format: z.enum(EXPORT_FORMAT_NAMES).default('markdown'),
  redact: z.enum(['yes', 'no']).default('no'),
})

const one = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/export',
  summary: 'The conversation as one readable file: Markdown, HTML or JSON, redacted if that is asked for',
  request: { params: keyParameter, query: exportQuery },
  responses: {
    200: {
      description: 'The file. What could not be read is listed at its end.',
      content: Object.fromEntries(
        EXPORT_FORMAT_NAMES.map(name => [
          EXPORT_FORMATS[name].mime,
          { schema: name === 'json' ? exportedSchema : z.string() },
        ]),
      ),
    },
    ...failures,
  },
})

export function addExports(app: App, services: Services): void {
  app.openAPIRegistry.registerPath(one)
  app.get('/api/sessions/:key/export', async context => {
    const { key } = keyParameter.parse(context.req.param())
    const { format, redact } = exportQuery.parse(context.req.query())
    const { row, session } = servedBy(services, key)
    const isRedacted = redact === 'yes'
    const { stream, size } = await services.exports.write(session, { format, isRedacted }, context.req.raw.signal)
    const name = exportFileName(isRedacted ? { ...row, title: null } : row, format)
    context.header('content-type', `${EXPORT_FORMATS[format].mime}; charset=utf-8`)
    context.header('content-length', String(size))
    // Always a download: text of a session never runs on the origin of the page.
    context.header('content-disposition', `attachment; filename="${name}"`)
    if (context.req.method !== 'HEAD') return context.body(stream, 200)
    await stream.cancel()
    return context.body(null, 200)
  })
}
