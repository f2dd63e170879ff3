// Questions that agents ask a person, and the answers to them.
import { z } from 'zod'
import type { OpenCodeApp } from '../api.ts'
import { questionAnswersSchema } from '../shapes/request.ts'
import { readBody } from './common.ts'

const replySchema = z.looseObject({ answers: questionAnswersSchema })

export function addQuestions(app: OpenCodeApp): void {
  app.get('/question', context => {
    const { views, replies } = context.var.api
    const open = views.active().flatMap(view => view.questions())
    return context.json(open.filter(({ id }) => !replies.isDecided(id)))
  })
  app.post('/question/:id/reply', async context => {
    const { answers } = await readBody(context, replySchema)
    await context.var.api.replies.question(context.req.param('id'), answers)
    return context.json(true)
  })
  app.post('/question/:id/reject', async context => {
    await context.var.api.replies.rejectQuestion(context.req.param('id'))
    return context.json(true)
  })
}
