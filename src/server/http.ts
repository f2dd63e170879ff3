// The HTTP side: guards first, then the routes of the list, then the page. Every error is {code, text, hint}.

import type { HttpBindings } from '@hono/node-server'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context as HonoContext } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { ZodError } from 'zod'
import { wellFormedBytes } from '../bytes/well-formed.ts'
import { fromAgentError } from '../journal/agent-errors.ts'
import { RethreadError } from '../model/errors.ts'
import { refusalOf } from '../opencode/errors.ts'
import type { ApiError } from './api.ts'
import { HTTP_OF_ERROR } from './http-status.ts'
import { MAX_BODY_BYTES, MAX_EDITED_BODY_BYTES, MAX_FLAGS_BYTES, MAX_PROMPT_BYTES } from './limits.ts'
import type { PageFile } from './page.ts'
import { servePage, welcome } from './page.ts'
import { addRoutes } from './routes/index.ts'
import type { Services } from './services.ts'

export interface Bindings {
  Bindings: HttpBindings
}
export type App = OpenAPIHono<Bindings>

export function makeHttp(services: Services, page: Map<string, PageFile>): App {
  const app: App = new OpenAPIHono<Bindings>({
    defaultHook(result, context) {
      if (result.success) return
      const [issue] = result.error.issues
      return context.json(usage(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`), 400)
    },
  })
  app.onError((error, context) => answerError(services, error, context))
  app.notFound(context => answerUnknown(app, context))
  app.use(async (context, next) => {
    const { headers } = context.env.incoming
    const origin = isOpenCode(context.req.path) ? services.auth.allowedOrigin(headers) : undefined
    if (origin !== undefined) return await answerOrigin(services, context, origin, next)
    if (!services.auth.isOwnHostAndOrigin(headers)) return refuse(context, FOREIGN, 403)
    return await next()
  })
  welcome(app, services)
  app.use(async (context, next) => {
    const { headers, method } = context.env.incoming
    const isByCookie = headers.authorization === undefined
    // A browser sends the origin of a request that changes something. Our page does not hide it.
    const hidesOrigin = isByCookie && method !== 'GET' && method !== 'HEAD' && headers.origin === undefined
    if (services.auth.isAllowed(headers) && !hidesOrigin) {
      services.trust(context.env.incoming.socket)
      return await next()
    }
    return isForPrograms(context.req.path) ? refuse(context, UNAUTHORIZED, 401) : context.html(SIGN, 401)
  })
  app.use('/api/*', async (context, next) => {
    const maxSize = maxBodyOf(context.req.path)
    return await bodyLimit({ maxSize, onError: refused => refused.json(tooLarge(maxSize), 413) })(context, next)
  })
  app.use('/api/*', async (context, next) => {
    const body = await readJson(context)
    if (body === 'other') return context.json(NOT_JSON, 415)
    return body === 'none' && needsBody(app, context) ? context.json(NO_BODY, 400) : await next()
  })
  app.use('/api/*', async (context, next) => {
    await next()
    context.res.headers.set('cache-control', 'no-store')
  })
  addRoutes(app, services)
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  app.doc31('/api/openapi.json', {
    security: [{ token: [] }],
    openapi: '3.1.0',
    info: { title: 'rethread', version: services.version, description: DESCRIPTION },
  })
  app.route(OPENCODE, services.opencode.app)
  servePage(app, page)
  return app
}

/** The OpenCode-compatible API. */
const OPENCODE = '/opencode'
const FOR_PROGRAMS = ['/api', '/v1', OPENCODE]

function isForPrograms(path: string): boolean {
  return FOR_PROGRAMS.some(prefix => path.startsWith(`${prefix}/`))
}

function isOpenCode(path: string): boolean {
  return path === OPENCODE || path.startsWith(`${OPENCODE}/`)
}

/**
 * For a page of an origin that the person allowed. The token is required as always, and never comes from a
 * cookie: the browser adds that by itself, whichever page asks.
 */
async function answerOrigin(
  services: Services,
  context: HonoContext<Bindings>,
  origin: string,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  const { authorization } = context.env.incoming.headers
  const isPreflight =
    context.req.method === 'OPTIONS' && context.req.header('access-control-request-method') !== undefined
  if (isPreflight) {
    const asked = context.req.header('access-control-request-headers')
    return new Response(null, {
      status: 204,
      headers: {
        ...corsHeaders(origin),
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        ...(asked === undefined ? {} : { 'access-control-allow-headers': asked }),
        'access-control-max-age': '600',
      },
    })
  }
  if (authorization === undefined || !services.auth.isAllowed({ authorization }))
    context.res = refuse(context, UNAUTHORIZED, 401)
  else await next()
  for (const [name, value] of Object.entries(corsHeaders(origin))) context.res.headers.set(name, value)
  return undefined
}

function corsHeaders(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, vary: 'origin' }
}

/** In the shape that the client expects. */
function refuse(context: HonoContext, error: ApiError, status: 401 | 403): Response {
  const isOfOthers = context.req.path.startsWith(`${OPENCODE}/`)
  return context.json(isOfOthers ? refusalOf(status, error.text, error.hint) : error, status)
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json\s*(;|$)/i

/** For every route: unpaired surrogates in a body are replaced before it is used. */
async function readJson({ req }: HonoContext): Promise<'none' | 'json' | 'other'> {
  const body = req.raw.body === null ? Buffer.alloc(0) : Buffer.from(await req.raw.arrayBuffer())
  if (body.length === 0) return 'none'
  req.raw = new Request(req.raw, { body: new Uint8Array(wellFormedBytes(body)) })
  return JSON_TYPE.test(req.header('content-type') ?? '') ? 'json' : 'other'
}

/** A path that exists with other methods lists them. An exact path wins over one with parameters. */
function answerUnknown(app: App, context: HonoContext): Response {
  const { path, method } = context.req
  const known = app.routes.filter(route => isForPrograms(route.path) && matches(route.path, path))
  const named = known.filter(route => route.path === path)
  const routes = named.length > 0 ? named : known
  const allowed = new Set(routes.map(route => route.method).filter(name => name !== 'ALL'))
  if (allowed.size === 0) return context.json(notThere(path), 404)
  if (allowed.has('GET')) allowed.add('HEAD')
  context.header('allow', [...allowed].join(', '))
  return context.json(wrongMethod(method, path, [...allowed]), 405)
}

/** Reads the API description. */
function needsBody(app: App, { req }: HonoContext): boolean {
  return app.openAPIRegistry.definitions.some(
    definition =>
      definition.type === 'route' &&
      definition.route.request?.body?.required === true &&
      definition.route.method.toUpperCase() === req.method &&
      matches(definition.route.path, req.path),
  )
}

/** Parameters are written `:name` by the router and `{name}` in the description. */
function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  const isFor = (step: string, at: number): boolean => step === given[at] || (/^[:{]/.test(step) && given[at] !== '')
  return wanted.length === given.length && wanted.every(isFor)
}

function answerError(services: Services, thrown: unknown, context: HonoContext): Response {
  const error = fromAgentError(thrown)
  if (error instanceof RethreadError) {
    const { code, message: text, hint } = error
    return context.json({ code, text, hint } satisfies ApiError, HTTP_OF_ERROR[code])
  }
  // The body is not JSON.
  if (error instanceof HTTPException && error.status < 500) return context.json(usage(error.message), error.status)
  if (error instanceof ZodError) return context.json(usage(error.issues[0]?.message ?? 'is not valid'), 400)
  services.context.log.debug('A request ended in a fault.', {
    path: context.req.path,
    error: error instanceof Error ? error.stack : String(error),
  })
  return context.json(FAULT, 500)
}

const DESCRIPTION =
  'Conversations with coding agents: read, checked and repaired. Authenticate with the token that "rethread serve" prints.'

const UNAUTHORIZED: ApiError = {
  code: 'unauthorized',
  text: 'The token is missing or wrong.',
  hint: 'Send the header "Authorization: Bearer TOKEN" with the token that rethread serve printed.',
}
const FOREIGN: ApiError = {
  code: 'foreign',
  text: 'This request comes from another site, or names another server.',
  hint: 'Open the address that rethread serve printed.',
}
/** Prompts, flags and edited files may be longer than other bodies. */
const PROMPT = /^\/api\/conversations\/[^/]+\/prompt$/

const FLAGS = /^\/api\/sessions\/[^/]+\/sanitize\/flags$/
const EDITED = /^\/api\/sessions\/[^/]+\/sanitize(\/validate)?$/

function maxBodyOf(path: string): number {
  if (PROMPT.test(path)) return MAX_PROMPT_BYTES
  if (FLAGS.test(path)) return MAX_FLAGS_BYTES
  return EDITED.test(path) ? MAX_EDITED_BODY_BYTES : MAX_BODY_BYTES
}

function tooLarge(bytes: number): ApiError {
  return { code: 'too-large', text: `This request may be at most ${bytes} bytes long.`, hint: 'Send less.' }
}
const NO_BODY: ApiError = {
  code: 'usage',
  text: 'The request is not valid: it needs a body.',
  hint: 'See the API: GET /api/openapi.json',
}
const NOT_JSON: ApiError = {
  code: 'usage',
  text: 'The body of a request must be JSON.',
  hint: 'Send the header "Content-Type: application/json".',
}
const FAULT: ApiError = {
  code: 'fault',
  text: 'rethread itself failed.',
  hint: 'Nothing was changed. Restart it with --log-level debug and report what the log says.',
}

function usage(text: string): ApiError {
  return {
    code: 'usage',
    text: `The request is not valid: ${text}.`,
    hint: 'See the API: GET /api/openapi.json',
  }
}

function notThere(path: string): ApiError {
  return { code: 'not-found', text: `There is no ${path}.`, hint: 'See the API: GET /api/openapi.json' }
}

function wrongMethod(method: string, path: string, allowed: readonly string[]): ApiError {
  return { code: 'usage', text: `${path} does not support ${method}.`, hint: `Use one of: ${allowed.join(', ')}` }
}

/** Shown when the page is opened without its token. */
const SIGN = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>rethread</title><body style="font:16px/1.5 system-ui;max-width:36rem;margin:20vh auto;padding:0 1rem">
<h1 style="font-size:20px">This page needs its token</h1>
<p>rethread is running, but this browser is not signed in.</p>
<p>Open the address that <code>rethread serve</code> printed in its terminal; it ends with <code>?token=…</code></p></body></html>`
