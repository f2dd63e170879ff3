// /api/conversations: prompt an agent. The socket delivers its answers.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import {
  answerSchema,
  beginSchema,
  begunSchema,
  forkSchema,
  promptSchema,
  talkChoicesSchema,
  talkSchema,
} from '../api.ts'
import type { App } from '../http.ts'
import type { Services } from '../services.ts'
import { failures, jsonResponse } from './common.ts'

const done = z.object({ done: z.literal(true) })
/** The id of the conversation, or the key of its session. */
const params = z.object({ id: z.string().min(1).max(500) })

function body<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true }
}

const agents = createRoute({
  method: 'get',
  path: '/api/conversations/agents',
  summary: 'List the agents to talk to, and recent folders',
  responses: { 200: jsonResponse(talkChoicesSchema, 'The agents, installed ones first.'), ...failures },
})
const begin = createRoute({
  method: 'post',
  path: '/api/conversations',
  summary: 'Start a conversation with an agent in a folder',
  request: { body: body(beginSchema) },
  responses: { 200: jsonResponse(begunSchema, 'It has started and has no messages yet.'), ...failures },
})
const one = createRoute({
  method: 'get',
  path: '/api/conversations/{id}',
  summary: 'Get the state of a conversation: activity, questions, last restore, last messages',
  request: { params },
  responses: { 200: jsonResponse(talkSchema, 'The conversation.'), ...failures },
})
const prompt = createRoute({
  method: 'post',
  path: '/api/conversations/{id}/prompt',
  summary: 'Send a message; the agent is started or restored first if needed',
  request: { params, body: body(promptSchema) },
  responses: { 202: jsonResponse(done, 'Accepted. The answer comes over the socket.'), ...failures },
})
const cancel = createRoute({
  method: 'post',
  path: '/api/conversations/{id}/cancel',
  summary: 'Stop the answer',
  request: { params },
  responses: { 200: jsonResponse(done, 'The agent was notified.'), ...failures },
})
const answer = createRoute({
  method: 'post',
  path: '/api/conversations/{id}/answer',
  summary: 'Answer a question of the agent: a permission, or a form',
  request: { params, body: body(answerSchema) },
  responses: { 200: jsonResponse(done, 'The agent is notified.'), ...failures },
})
const fork = createRoute({
  method: 'post',
  path: '/api/conversations/{id}/fork',
  summary: 'Fork a conversation, as a whole or up to a message',
  request: { params, body: body(forkSchema) },
  responses: { 200: jsonResponse(begunSchema, 'The copy.'), ...failures },
})
const destroy = createRoute({
  method: 'delete',
  path: '/api/conversations/{id}',
  summary: 'Remove a conversation from lists; its messages stay in the journal',
  request: { params },
  responses: { 200: jsonResponse(done, 'It is removed from lists.'), ...failures },
})

const DONE = { done: true } as const

export function addConversations(app: App, { live }: Services): void {
  app.openapi(agents, async context => context.json(await live.choices(), 200))
  app.openapi(begin, async context => context.json(await live.begin(context.req.valid('json')), 200))
  app.openapi(one, async context => context.json(await live.state(context.req.valid('param').id), 200))
  app.openapi(prompt, async context => {
    await live.prompt(context.req.valid('param').id, context.req.valid('json').text)
    return context.json(DONE, 202)
  })
  app.openapi(cancel, async context => {
    await live.cancel(context.req.valid('param').id)
    return context.json(DONE, 200)
  })
  app.openapi(answer, async context => {
    const { question, answer: given } = context.req.valid('json')
    await live.answer(context.req.valid('param').id, question, given)
    return context.json(DONE, 200)
  })
  app.openapi(fork, async context => {
    return context.json(await live.fork(context.req.valid('param').id, context.req.valid('json')), 200)
  })
  app.openapi(destroy, async context => {
    await live.destroy(context.req.valid('param').id)
    return context.json(DONE, 200)
  })
}
