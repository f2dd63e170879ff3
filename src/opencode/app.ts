// Builds the API. Its parts are created when the journal is first needed.
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { RethreadError } from '../model/errors.ts'
import type { Api, OpenCodeApp, OpenCodeOptions, OpenJournal } from './api.ts'
import { Catalogue } from './catalogue/catalogue.ts'
import { ClientConfig } from './client-config.ts'
import { answerError, refusalOf } from './errors.ts'
import { Bus } from './events/bus.ts'
import { startFeed } from './events/feed.ts'
import { Roots } from './folders.ts'
import { SessionIds } from './ids.ts'
import type { SessionOptions } from './projection/session-object.ts'
import { Views } from './projection/views.ts'
import { namedDirectory } from './routes/common.ts'
import { addRoutes } from './routes/index.ts'
import { Sessions } from './sessions.ts'
import type { OpenCodeEvent } from './shapes/event.ts'
import { ChosenSettings } from './turns/model-settings.ts'
import { Replies } from './turns/replies.ts'
import { Turns } from './turns/turns.ts'

export interface OpenCode {
  app: OpenCodeApp
  /** Allows clients to work in this folder until the server stops. */
  allow(folder: string): void
  /** Ends the event streams and starts no further turn. */
  stop(): void
}

/** The limit for one request: a prompt with images. The reader of the ACP SDK stops at 32 MiB a message. */
const MAX_BODY_BYTES = 24 * 1024 * 1024
/** How many of the newest sessions to read for the newest id and time. */
const NEWEST = 100

export function makeOpenCode(options: OpenCodeOptions): OpenCode {
  const app: OpenCodeApp = new Hono()
  let opening: Promise<Api> | undefined
  let stopApi: (() => void) | undefined
  const open = (): Promise<Api> => {
    opening ??= options.open().then(async journal => {
      const { api, stop } = await makeApi(options, journal)
      stopApi = stop
      return api
    })
    // The next request tries again.
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  app.onError((error, context) => {
    if (error instanceof RethreadError && error.code === 'unsupported') showRefusal(context, error)
    return answerError(options, error, context)
  })
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: context => context.json(refusalOf(413, TOO_LARGE), 413) }))
  app.use(async (context, next) => {
    try {
      context.set('api', await open())
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      return context.json(refusalOf(503, `The journal cannot be opened. ${text}`), 503)
    }
    await next()
    if (!context.res.headers.has('cache-control')) context.res.headers.set('cache-control', 'no-store')
    return undefined
  })
  addRoutes(app)
  app.all('*', context => context.json(refusalOf(404, `There is no ${context.req.method} ${context.req.path}.`), 404))
  return { app, allow: folder => options.allowed.add(folder), stop: () => stopApi?.() }
}

/**
 * Clients show a message of their own, which says nothing, when they get the answer. This one comes after it.
 */
const SHOW_REFUSAL_MS = 250

/** Clients hide why a request is refused. A toast tells the person. */
function showRefusal(context: Context<{ Variables: { api: Api } }>, { message, hint }: RethreadError): void {
  // Absent where the journal could not be opened.
  const api: Api | undefined = context.get('api')
  if (api === undefined || context.req.method === 'GET') return
  const directory = directoryIn(context)
  const event: OpenCodeEvent = {
    type: 'tui.toast.show',
    properties: { title: 'Not supported', message: `${message} ${hint}`, variant: 'warning' },
  }
  const show = (): void => api.bus.publish([event], directory === undefined ? {} : { directory })
  setTimeout(show, SHOW_REFUSAL_MS).unref()
}

/** Undefined too where the client names something that is not a folder. */
function directoryIn(context: Context<{ Variables: { api: Api } }>): string | undefined {
  try {
    return namedDirectory(context)
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

const TOO_LARGE = `A request may be at most ${MAX_BODY_BYTES} bytes long.`

async function makeApi(options: OpenCodeOptions, journal: OpenJournal): Promise<{ api: Api; stop(): void }> {
  const { conversations, clientSide, agents } = journal
  const { version, folders } = options
  const catalogue = new Catalogue(agents)
  const roots = new Roots(folders)
  const objects: SessionOptions = {
    version,
    modelOf: agent => catalogue.defaultModel(agent),
    rootOf: directory => roots.rootOf(directory),
  }
  const onBackgroundError = (error: unknown): void =>
    options.log('An event could not be published.', { error: error instanceof Error ? error.stack : String(error) })
  const { ids, newestAt } = await readNewest(journal)
  const views = new Views(conversations.store, { view: objects })
  const bus = new Bus({ startedAt: Math.max(Date.now(), newestAt) })
  const sessions = new Sessions({ conversations, views, bus, ids, objects })
  const replies = new Replies({ clientSide, views, onBackgroundError })
  const turns = new Turns({
    conversations,
    views,
    settings: new ChosenSettings(conversations, catalogue),
    publish: (view, events) => sessions.publish(view, events),
    // Clients and tests of the reference server ask its mock agent so.
    answersEarly: agent => catalogue.isBuiltIn(agent),
    onEnd: async (id, view) => await sessions.noteTurn(id, view),
  })
  const stopFeed = startFeed({ conversations, views, bus, turns, replies, catalogue, onBackgroundError })
  const stopOthers = conversations.others.on(async change => await sessions.noteOthers(change).catch(onBackgroundError))
  const api: Api = {
    ...journal,
    views,
    bus,
    sessions,
    turns,
    replies,
    catalogue,
    config: new ClientConfig(catalogue),
    ids,
    folders,
    roots,
    version,
    options,
  }
  const stop = (): void => {
    turns.stop()
    bus.close()
    stopFeed()
    stopOthers()
  }
  return { api, stop }
}

/** Ids and event numbers continue above those of the journal, even if the clock went back. */
async function readNewest({ conversations: { store } }: OpenJournal) {
  const ids = new SessionIds()
  let newestAt = 0
  for (const { id, createdAt, lastEventAt = 0 } of (await store.listSessions({ limit: NEWEST })).sessions) {
    ids.startAfter(id)
    newestAt = Math.max(newestAt, createdAt, lastEventAt)
  }
  return { ids, newestAt }
}
