// Sessions: create, list, read, change, remove; their status and children.
import { z } from 'zod'
import { requireFolder } from '../../disk/files/named-folder.ts'
import { hasErrorCode } from '../../model/errors.ts'
import { ACP_SESSION_ID } from '../../model/session-id.ts'
import type { Api, OpenCodeApp } from '../api.ts'
import type { ModelChoice } from '../catalogue/catalogue.ts'
import { badRequest, modelIsFixed, notFound } from '../errors.ts'
import { toWireId } from '../ids.ts'
import { addRules, permissionRulesSchema } from '../permission-rules.ts'
import type { Session, SessionMetadata, SessionStatus } from '../shapes/session.ts'
import { chooseModel } from '../turns/model-settings.ts'
import { type ApiContext, directoryOf, namedDirectory, readBody } from './common.ts'

const rules = permissionRulesSchema.optional()

const createSchema = z.looseObject({
  parentID: z.string().optional(),
  title: z.string().optional(),
  agent: z.string().optional(),
  model: z
    .looseObject({ providerID: z.string(), id: z.string().optional(), modelID: z.string().optional() })
    .optional(),
  permissionMode: z.string().optional(),
  permission_mode: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  permission: rules,
})
const updateSchema = z.looseObject({
  title: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  time: z.looseObject({ archived: z.number().nullish() }).optional(),
  permission: rules,
})
const initSchema = z.looseObject({ providerID: z.string().optional(), modelID: z.string().optional() })
const flag = z.enum(['true', 'false']).transform(value => value === 'true')
const listSchema = z.object({
  roots: flag.optional(),
  start: z.coerce.number().optional(),
  search: z.string().optional(),
  limit: z.coerce.number().int().positive().optional(),
})
/** Clients write these names in three ways. */
const MODEL_KEYS = ['providerID', 'providerId', 'provider_id', 'modelID', 'modelId', 'model_id', 'model']

export function addSessions(app: OpenCodeApp): void {
  app.post('/session', async context => context.json(await create(context)))
  app.get('/session', async context => context.json(await list(context)))
  app.get('/session/status', async context => context.json(await statuses(context.var.api)))
  app.get('/session/:id', async context =>
    context.json((await context.var.api.sessions.view(context.req.param('id'))).toSession()),
  )
  app.patch('/session/:id', async context => context.json(await update(context, context.req.param('id'))))
  app.delete('/session/:id', async context => {
    await remove(context.var.api, context.req.param('id'))
    return context.json(true)
  })
  app.post('/session/:id/init', async context => {
    await init(context, context.req.param('id'))
    return context.json(true)
  })
  app.get('/session/:id/children', async context => {
    const { sessions } = context.var.api
    const parent = toWireId((await sessions.find(context.req.param('id'))).id)
    const all = (await sessions.list()).map(({ session }) => session)
    return context.json(all.filter(({ parentID }) => parentID === parent))
  })
  app.get('/session/:id/todo', async context =>
    context.json((await context.var.api.sessions.view(context.req.param('id'))).todos()),
  )
  app.get('/session/:id/diff', async context => {
    const view = await context.var.api.sessions.view(context.req.param('id'))
    return context.json(view.diff(context.req.query('messageID')))
  })
}

async function create(context: ApiContext): Promise<Session> {
  const { api } = context.var
  const body = await readBody(context, createSchema)
  const { model, parentID, title, metadata, permission } = body
  const given = model && { providerID: model.providerID, modelID: model.modelID ?? model.id ?? '' }
  const parent = parentID === undefined ? undefined : await api.sessions.find(parentID)
  const permissionMode = body.permissionMode ?? body.permission_mode
  const settings: Partial<SessionMetadata> = {
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(permission === undefined ? {} : { permission }),
    ...(parent === undefined ? {} : { parent: parent.id }),
  }
  const choice = chooseModel(api.catalogue, { model: given, agent: body.agent }) ?? api.config.defaultChoice
  const directory = namedDirectory(context) ?? parent?.cwd ?? api.folders.directory
  refuseNoFolder(directory)
  return await api.sessions.create({ choice, directory, metadata: settings })
}

async function list(context: ApiContext): Promise<Session[]> {
  const { roots, start, search, limit } = listSchema.parse(context.req.query())
  const directory = namedDirectory(context)
  const words = search?.toLowerCase()
  const listed = await context.var.api.sessions.list()
  return listed
    .map(({ session }) => session)
    .filter(session => directory === undefined || isIn(session.directory, directory))
    .filter(({ parentID }) => roots !== true || parentID === undefined)
    .filter(({ time }) => start === undefined || time.updated >= start)
    .filter(({ title }) => words === undefined || title.toLowerCase().includes(words))
    .slice(0, limit)
}

function isIn(directory: string, folder: string): boolean {
  return directory === folder || directory.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** Includes idle sessions, so that a missing one is known not to exist. */
async function statuses({ sessions, views, turns }: Api): Promise<Record<string, SessionStatus>> {
  const listed = await sessions.list()
  return Object.fromEntries(
    listed.map(({ record: { id, openTurns }, session }) => {
      // A turn may run in another process, and its view is built when something happens.
      const status = views.peek(id)?.status.type ?? (openTurns > 0 ? 'busy' : 'idle')
      const isBusy = turns.isBusy(id) || status === 'busy'
      return [session.id, { type: isBusy ? 'busy' : 'idle' }] as const
    }),
  )
}

async function update(context: ApiContext, id: string): Promise<Session> {
  const { sessions } = context.var.api
  const body = await readBody(context, updateSchema)
  const record = await sessions.find(id)
  if (MODEL_KEYS.some(key => body[key] !== undefined)) throw modelIsFixed()
  const { title, metadata, time, permission } = body
  const change: Partial<SessionMetadata> = {
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(time === undefined ? {} : { time: typeof time.archived === 'number' ? { archived: time.archived } : {} }),
  }
  return await sessions.locks.run(record.id, async () => {
    const before = (await sessions.metadata(record.id)).permission
    const rules = permission === undefined ? {} : { permission: addRules(before, permission) }
    return await sessions.change(record.id, { ...change, ...rules })
  })
}

async function remove({ sessions, turns, replies }: Api, id: string): Promise<void> {
  const record = await sessions.find(id)
  await turns.abort(record.id)
  await sessions.remove(record)
  replies.forget(record.id)
}

/** Creates the session where missing: clients of the reference server start one under their own id. */
async function init(context: ApiContext, id: string): Promise<void> {
  const { api } = context.var
  const { sessions, turns } = api
  const { providerID, modelID } = await readBody(context, initSchema)
  if ((providerID === undefined) !== (modelID === undefined))
    throw badRequest('Specify both providerID and modelID, or neither.')
  const model: ModelChoice | undefined =
    providerID === undefined || modelID === undefined ? undefined : { providerID, modelID }
  const choice = chooseModel(api.catalogue, { model, agent: undefined })
  const known = await sessions.findIfThere(id)
  await sessions.locks.run(known?.id ?? id, async () => {
    const record = await sessions.findIfThere(id)
    if (record !== undefined) {
      if (choice !== undefined) await sessions.choose(record, choice, turns.isBusy(record.id))
      return
    }
    if (!ACP_SESSION_ID.test(id))
      throw badRequest('A session id consists of letters, digits and some punctuation, and begins with a letter.')
    if (await sessions.wasRemoved(id)) throw notFound(`The session ${id} was deleted.`)
    const directory = directoryOf(context)
    refuseNoFolder(directory)
    await sessions.create({ choice: choice ?? api.config.defaultChoice, directory, id })
  })
}

/** A missing folder may be created before the agent needs it. Something that is not a folder is refused. */
function refuseNoFolder(directory: string): void {
  try {
    requireFolder(directory)
  } catch (error) {
    if (!hasErrorCode(error, 'not-found')) throw error
  }
}
