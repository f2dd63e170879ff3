// Every route of the OpenAPI document: its answer fits its schema. A route without a case here fails.
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  agentSchema,
  apiErrorSchema,
  archiveStatusSchema,
  begunSchema,
  bytesSchema,
  differenceSchema,
  doctorSchema,
  fixResultsSchema,
  flagsAnswerSchema,
  foundMessagesSchema,
  healthSchema,
  messageSchema,
  messagesPageSchema,
  nameAnswerSchema,
  overviewSchema,
  planSchema,
  receiptSchema,
  repairAnswerSchema,
  restoredSchema,
  sanitizedSchema,
  sanitizeSchema,
  searchPageSchema,
  serverInfoSchema,
  sessionDetailSchema,
  sessionsPageSchema,
  talkChoicesSchema,
  talkSchema,
  undoAnswerSchema,
  validatedSchema,
  versionsSchema,
} from '../../src/server/api.ts'
import { pass } from '../support/archive.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import { ID, putConversation as putFolder, WHOLE } from '../support/jp/store.ts'
import { BAD_EVENTS } from '../support/sanitize-stage.ts'
import type { ServerStage } from '../support/server.ts'
import { shareStage } from '../support/server.ts'

/** A PNG of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const stage = shareStage(home => {
  putConversation(home, 1)
  putConversation(home, 5, { picture: PICTURE.toString('base64') })
  for (const n of [2, 3, 4]) putConversation(home, n, { brokenAt: 9 })
  putFolder(home, { ...WHOLE, 'events.json': BAD_EVENTS, 'init_config.json': '{' })
  putFolder(home, WHOLE, 'nameless')
})

beforeAll(async () => void (await pass(stage().context)))

interface Case {
  schema?: z.ZodType
  method?: string
  body?: object
  /** 200, unless it is to be another. */
  status?: number
  path(): string
}

const key = (n: number): string => stage().key(sessionId(n))

const folder = (): string => `/api/sessions/${stage().key(`jp-c${ID}`)}/sanitize`

const DONE = z.object({ done: z.literal(true) })

const CASES: Record<string, Case> = {
  'post /api/folders': {
    path: () => '/api/folders',
    schema: z.object({ folder: z.string() }),
    method: 'POST',
    body: { folder: tmpdir() },
  },
  'get /api/health': { path: () => '/api/health', schema: serverInfoSchema },
  'get /api/agents': { path: () => '/api/agents', schema: z.object({ agents: z.array(agentSchema).min(8) }) },
  'get /api/overview': { path: () => '/api/overview', schema: overviewSchema },
  'get /api/sessions': { path: () => '/api/sessions', schema: sessionsPageSchema },
  'get /api/sessions/{key}': { path: () => `/api/sessions/${key(1)}`, schema: sessionDetailSchema },
  'get /api/sessions/{key}/messages': {
    path: () => `/api/sessions/${key(1)}/messages`,
    schema: messagesPageSchema.extend({ messages: z.array(messageSchema).length(10) }),
  },
  'get /api/sessions/{key}/messages/{index}': {
    path: () => `/api/sessions/${key(1)}/messages/3`,
    schema: messageSchema,
  },
  'get /api/sessions/{key}/messages/{index}/images/{part}': {
    path: () => `/api/sessions/${key(5)}/messages/0/images/1`,
  },
  'get /api/sessions/{key}/messages/{index}/record': { path: () => `/api/sessions/${key(1)}/messages/3/record` },
  'get /api/search': { path: () => '/api/search?text=message', schema: searchPageSchema },
  'get /api/sessions/{key}/search': {
    path: () => `/api/sessions/${key(1)}/search?text=message`,
    schema: foundMessagesSchema,
  },
  'get /api/sessions/{key}/bytes': {
    path: () => `/api/sessions/${key(1)}/bytes?start=0&end=20`,
    schema: bytesSchema,
  },
  'get /api/sessions/{key}/health': { path: () => `/api/sessions/${key(2)}/health`, schema: healthSchema },
  'get /api/sessions/{key}/plan': {
    path: () => `/api/sessions/${key(2)}/plan`,
    schema: planSchema.extend({ changes: z.array(z.unknown()).min(1) }),
  },
  'post /api/sessions/{key}/repair': {
    path: () => `/api/sessions/${key(3)}/repair`,
    schema: repairAnswerSchema,
    method: 'POST',
  },
  'post /api/sessions/{key}/undo': {
    path: () => `/api/sessions/${key(3)}/undo`,
    schema: undoAnswerSchema,
    method: 'POST',
  },
  'get /api/sessions/{key}/versions': {
    path: () => `/api/sessions/${key(1)}/versions?limit=3`,
    schema: versionsSchema,
  },
  'get /api/sessions/{key}/difference': {
    path: () => `/api/sessions/${key(1)}/difference?from=0&to=0`,
    schema: differenceSchema,
  },
  'post /api/sessions/{key}/restore': {
    path: () => `/api/sessions/${key(1)}/restore`,
    schema: restoredSchema,
    method: 'POST',
    body: { version: 0, asNew: true },
  },
  'get /api/sessions/{key}/export': { path: () => `/api/sessions/${key(1)}/export?format=markdown` },
  'post /api/sessions/{key}/label': {
    path: () => `/api/sessions/${key(1)}/label`,
    schema: sessionDetailSchema,
    method: 'POST',
    body: { isPinned: true },
  },
  'get /api/doctor': { path: () => '/api/doctor', schema: doctorSchema },
  'get /api/doctor/moves/{id}/plan': { path: () => '/api/doctor/moves/none/plan', schema: apiErrorSchema, status: 404 },
  'post /api/doctor/moves/{id}': {
    path: () => '/api/doctor/moves/none',
    schema: apiErrorSchema,
    method: 'POST',
    status: 404,
  },
  'post /api/doctor/relink': {
    path: () => '/api/doctor/relink',
    schema: fixResultsSchema,
    method: 'POST',
    get body() {
      return { keys: [key(1)] }
    },
  },
  'post /api/doctor/undo': {
    path: () => '/api/doctor/undo',
    schema: apiErrorSchema,
    method: 'POST',
    body: { receipt: 'none' },
    status: 404,
  },
  'get /api/archive': { path: () => '/api/archive', schema: archiveStatusSchema },
  'post /api/archive/seen': { path: () => '/api/archive/seen', schema: DONE, method: 'POST' },
  'get /api/sessions/{key}/sanitize': {
    path: folder,
    schema: sanitizeSchema.extend({ events: z.looseObject({ content: z.literal(BAD_EVENTS) }) }),
  },
  'post /api/sessions/{key}/sanitize/validate': {
    path: () => `${folder()}/validate`,
    schema: validatedSchema,
    method: 'POST',
    body: { content: '[' },
  },
  'post /api/sessions/{key}/sanitize/name': {
    path: () => `/api/sessions/${stage().key('nameless')}/sanitize/name`,
    schema: nameAnswerSchema,
    method: 'POST',
    body: { name: '17' },
  },
  'post /api/sessions/{key}/sanitize/flags': {
    path: () => `${folder()}/flags`,
    schema: flagsAnswerSchema,
    method: 'POST',
    body: { line: '-m x' },
  },
  'post /api/sessions/{key}/sanitize': { path: folder, schema: sanitizedSchema, method: 'POST' },
  'post /api/repair-all': { path: () => '/api/repair-all', schema: z.object({ total: z.number() }), method: 'POST' },
  'get /api/receipts': {
    path: () => '/api/receipts',
    schema: z.object({ receipts: z.array(receiptSchema).min(1) }),
  },
  'get /api/receipts/{id}/backup': { path: () => `/api/receipts/${newestReceipt()}/backup` },
  'get /api/conversations/agents': { path: () => '/api/conversations/agents', schema: talkChoicesSchema },
  'post /api/conversations': {
    path: () => '/api/conversations',
    schema: begunSchema.transform(({ id }) => {
      talk = id
      return id
    }),
    method: 'POST',
    body: { agent: 'mock', folder: '~' },
  },
  'get /api/conversations/{id}': { path: () => `/api/conversations/${talk}`, schema: talkSchema },
  'post /api/conversations/{id}/prompt': {
    path: () => `/api/conversations/${talk}/prompt`,
    schema: DONE,
    method: 'POST',
    body: { text: 'hello' },
    status: 202,
  },
  'post /api/conversations/{id}/answer': {
    path: () => `/api/conversations/${talk}/answer`,
    schema: apiErrorSchema,
    method: 'POST',
    body: { question: 'never-asked', answer: { type: 'decline' } },
    status: 404,
  },
  'post /api/conversations/{id}/fork': {
    path: () => `/api/conversations/${talk}/fork`,
    schema: begunSchema,
    method: 'POST',
  },
  'post /api/conversations/{id}/cancel': {
    path: () => `/api/conversations/${talk}/cancel`,
    schema: DONE,
    method: 'POST',
  },
  'delete /api/conversations/{id}': { path: () => `/api/conversations/${talk}`, schema: DONE, method: 'DELETE' },
}

/** The conversation that was begun. */
let talk = ''

let receipts: string[] = []
const newestReceipt = (): string => receipts[0] ?? 'none'

async function routesOf({ get }: ServerStage): Promise<string[]> {
  const document = await get(
    '/api/openapi.json',
    z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  )
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method} ${path}`),
  )
}

test('every route of the document has a case, and no case is without its route', async () => {
  expect((await routesOf(stage())).toSorted()).toEqual(Object.keys(CASES).toSorted())
})

describe('answers', () => {
  test.each(Object.keys(CASES))('%s as its schema says', async name => {
    const { path, schema, method = 'GET', body = {}, status = 200 } = CASES[name] ?? { path: () => '' }
    receipts = (await stage().get('/api/receipts', z.object({ receipts: z.array(receiptSchema) }))).receipts
      .filter(({ hasCopy }) => hasCopy)
      .map(({ id }) => id)
    const asked = method === 'GET' ? {} : { method, body: JSON.stringify(body) }
    const answer = await stage().ask(path(), asked)
    expect(answer.status, answer.text).toBe(status)
    expect(answer.headers['cache-control']).toBe('no-store')
    if (schema === undefined) expect(answer.bytes.length).toBeGreaterThan(0)
    else answer.as(schema)
  })
})

test('a picture is sent as what its bytes are, whatever the session says', async () => {
  const answer = await stage().ask(`/api/sessions/${key(5)}/messages/0/images/1`)
  expect(answer.headers['content-type']).toBe('image/png')
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
  expect(Buffer.compare(answer.bytes, PICTURE)).toBe(0)
  expect((await stage().ask(`/api/sessions/${key(5)}/messages/0/images/0`)).status).toBe(404)
})

test('a record is what is stored, byte for byte', async () => {
  const { ask, server } = stage()
  const { filePath } = server.services.sessions.find(sessionId(1))?.session ?? { filePath: '' }
  const line = readFileSync(filePath, 'utf8').split('\n')[3]
  const answer = await ask(`/api/sessions/${key(1)}/messages/3/record`)
  expect(answer.text.trimEnd()).toBe(line)
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
})
