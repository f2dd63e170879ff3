// Messages: list by page, read, and send.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import { notFound } from '../errors.ts'
import { promptSchema, readPrompt } from '../turns/prompt-parts.ts'
import { promptSession, type SessionPrompt } from '../turns/prompt-session.ts'
import { type ApiContext, readBody, refuseAll } from './common.ts'

const pageSchema = z.object({ limit: z.coerce.number().int().positive().optional(), before: z.string().optional() })
const NOT_CHANGEABLE = 'Messages are in the journal and with the agent: they cannot be changed or removed.'

export function addMessages(app: OpenCodeApp): void {
  app.get('/session/:id/message', async context => {
    const { sessions, views } = context.var.api
    const { limit, before } = pageSchema.parse(context.req.query())
    const { id } = await sessions.find(context.req.param('id'))
    const page = { ...(limit === undefined ? {} : { limit }), ...(before === undefined ? {} : { before }) }
    return context.json(await views.messages(id, page))
  })
  app.get('/session/:id/message/:message', async context => {
    const { sessions, views } = context.var.api
    const wanted = context.req.param('message')
    const { id } = await sessions.find(context.req.param('id'))
    const message = await views.message(id, wanted)
    if (message === undefined) throw notFound(`There is no message ${wanted} in this session.`)
    return context.json(message)
  })
  app.post('/session/:id/message', async context => {
    const answer = await promptSession(context.var.api, context.req.param('id'), await readSaid(context))
    return context.json(await answer())
  })
  app.post('/session/:id/prompt_async', async context => {
    await promptSession(context.var.api, context.req.param('id'), await readSaid(context))
    return context.body(null, 204)
  })
  refuseAll(app, [
    ['delete', '/session/:id/message/:message', NOT_CHANGEABLE],
    ['patch', '/session/:id/message/:message/part/:part', NOT_CHANGEABLE],
    ['delete', '/session/:id/message/:message/part/:part', NOT_CHANGEABLE],
  ])
}

async function readSaid(context: ApiContext): Promise<SessionPrompt> {
  const body = await readBody(context, promptSchema)
  const { model, agent, messageID } = body
  return {
    prompt: readPrompt(body),
    messageID,
    agent,
    model: model && { providerID: model.providerID, modelID: model.modelID },
  }
}
