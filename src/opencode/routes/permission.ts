// Permissions that agents request, and the replies to them.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import { type PermissionReply, permissionReplySchema } from '../shapes/request.ts'
import { readBody } from './common.ts'

const replySchema = z.looseObject({ reply: permissionReplySchema })
const responseSchema = z.looseObject({ response: z.string() })

/** Replies of older clients. Any other word means yes, once. */
const WORDS = new Map<string, PermissionReply>([
  ['deny', 'reject'],
  ['reject', 'reject'],
  ['always', 'always'],
])

export function addPermissions(app: OpenCodeApp): void {
  app.get('/permission', context => {
    const { views, replies } = context.var.api
    const open = views.active().flatMap(view => view.permissions())
    return context.json(open.filter(({ id }) => !replies.isDecided(id)))
  })
  app.post('/permission/:id/reply', async context => {
    const { reply } = await readBody(context, replySchema)
    await context.var.api.replies.permission(context.req.param('id'), reply)
    return context.json(true)
  })
  app.post('/session/:session/permissions/:id', async context => {
    const { replies, sessions } = context.var.api
    const { response } = await readBody(context, responseSchema)
    const view = await sessions.view(context.req.param('session'))
    await replies.permission(context.req.param('id'), WORDS.get(response) ?? 'once', view.id)
    return context.json(true)
  })
}
