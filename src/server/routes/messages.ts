// The messages of one session by page or around a place, one message in full, its stored bytes, and bytes of
// the file.
import { setTimeout as sleep } from 'node:timers/promises'
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { sessionAtPoint } from '../../archive/archived-sessions.ts'
import { exists } from '../../disk/files/read.ts'
import { IMAGE_TYPES } from '../../model/image.ts'
import type { SessionRef } from '../../model/session.ts'
import { isOneFile } from '../../repair/verdicts/origin.ts'
import { bytesSchema, messageSchema, messagesPageSchema, messagesQuerySchema, wholeNumber } from '../api.ts'
import type { App } from '../http.ts'
import { STORE_WAIT_MS } from '../limits.ts'
import type { Services } from '../services.ts'
import { failures, jsonResponse, keyParameter, servedBy } from './common.ts'

const indexParameter = keyParameter.extend({ index: wholeNumber(0) })
const imageParameter = indexParameter.extend({ part: wholeNumber(0) })
const stateQuery = messagesQuerySchema.pick({ branch: true, version: true })
const bytesQuery = z.object({ start: wholeNumber(0), end: wholeNumber(0), version: wholeNumber(0).optional() })

const page = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/messages',
  summary: 'Messages by page, from the end or around a place; never the whole of a huge one',
  request: { params: keyParameter, query: messagesQuerySchema },
  responses: { 200: jsonResponse(messagesPageSchema, 'One page. Long texts are cut, and say so.'), ...failures },
})
const whole = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/messages/{index}',
  summary: 'One message in full',
  request: { params: indexParameter, query: stateQuery },
  responses: { 200: jsonResponse(messageSchema, 'The message.'), ...failures },
})
const record = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/messages/{index}/record',
  summary: 'The record of a message as it is stored',
  request: { params: indexParameter, query: stateQuery },
  responses: {
    200: {
      description: 'Its bytes. The header x-rethread-cut says that there are more.',
      content: { 'text/plain': { schema: z.string() } },
    },
    ...failures,
  },
})
const image = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/messages/{index}/images/{part}',
  summary: 'An image that is stored in a message: PNG, JPEG, GIF or WebP',
  request: { params: imageParameter, query: stateQuery },
  responses: {
    200: {
      description: 'Its bytes, with their media type.',
      content: Object.fromEntries(IMAGE_TYPES.map(type => [type, { schema: z.string() }])),
    },
    ...failures,
  },
})
const bytes = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/bytes',
  summary: "A limited number of bytes of the session's file",
  request: { params: keyParameter, query: bytesQuery },
  responses: { 200: jsonResponse(bytesSchema, 'The bytes, in base64.'), ...failures },
})

/** Only the store knows what is new in a database. A slow store is not waited for. */
async function currentSession(services: Services, key: string): Promise<SessionRef> {
  const { session } = servedBy(services, key)
  // The reading checks a single file itself. Of a deleted one there may be a copy.
  if (isOneFile(session) && exists(session.filePath)) return session
  // The list reports a failed scan.
  const renewed = services.sessions.renew(key).catch(() => undefined)
  await Promise.race([renewed, sleep(STORE_WAIT_MS, undefined, { ref: false })])
  return services.sessions.get(key)?.session ?? session
}

export function addMessages(app: App, services: Services): void {
  const sessionOf = (key: string, version: number | undefined): SessionRef => {
    const { session } = servedBy(services, key)
    return version === undefined ? session : sessionAtPoint(services.context, session, version)
  }
  app.openapi(page, async context => {
    const { key } = context.req.valid('param')
    const { version, ...query } = context.req.valid('query')
    const session = version === undefined ? await currentSession(services, key) : sessionOf(key, version)
    return context.json(await services.readings.page(session, query), 200)
  })
  // It may have a hundred megabytes, so it is sent without parsing.
  app.openAPIRegistry.registerPath(whole)
  app.get('/api/sessions/:key/messages/:index', async context => {
    const { key, index } = indexParameter.parse(context.req.param())
    const { branch, version } = stateQuery.parse(context.req.query())
    context.header('content-type', 'application/json')
    return context.body(await services.readings.messageJson(sessionOf(key, version), index, branch), 200)
  })
  // Bytes are not JSON, so the route is described but not typed.
  app.openAPIRegistry.registerPath(record)
  app.get('/api/sessions/:key/messages/:index/record', async context => {
    const { key, index } = indexParameter.parse(context.req.param())
    const { branch, version } = stateQuery.parse(context.req.query())
    const { bytes, isCut } = await services.readings.record(sessionOf(key, version), index, branch)
    // Always plain text: a session may contain HTML that must not run.
    context.header('content-type', 'text/plain; charset=utf-8')
    context.header('content-disposition', 'inline; filename="record.txt"')
    if (isCut) context.header('x-rethread-cut', 'yes')
    return context.body(new Uint8Array(bytes), 200)
  })
  app.openAPIRegistry.registerPath(image)
  app.get('/api/sessions/:key/messages/:index/images/:part', async context => {
    const { key, index, part } = imageParameter.parse(context.req.param())
    const { branch, version } = stateQuery.parse(context.req.query())
    const picture = await services.readings.image(sessionOf(key, version), index, part, branch)
    context.header('content-type', picture.mime)
    context.header('content-disposition', 'inline; filename="picture"')
    return context.body(new Uint8Array(picture.bytes), 200)
  })
  app.openapi(bytes, async context => {
    const { start, end, version } = context.req.valid('query')
    const session = sessionOf(context.req.valid('param').key, version)
    return context.json(await services.readings.bytes(session, start, end), 200)
  })
}
