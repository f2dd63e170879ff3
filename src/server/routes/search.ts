// GET /api/search and GET /api/sessions/KEY/search.
import { createRoute } from '@hono/zod-openapi'
import type { SearchQuery } from '../../search/index.ts'
import type { SearchPage, SearchParameters } from '../api.ts'
import { findParametersSchema, foundMessagesSchema, searchPageSchema, searchParametersSchema } from '../api.ts'
import type { App } from '../http.ts'
import type { Services } from '../services.ts'
import { keyOfSession } from '../sessions/index.ts'
import { failures, jsonResponse, keyParameter, servedBy } from './common.ts'

const all = createRoute({
  method: 'get',
  path: '/api/search',
  summary: 'Search in what was said in all conversations: ranked, with the best passages of each',
  request: { query: searchParametersSchema },
  responses: { 200: jsonResponse(searchPageSchema, 'The best conversations, and how much is indexed.'), ...failures },
})

const one = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/search',
  summary: 'Search in one conversation: the indexes of all messages that match',
  request: { params: keyParameter, query: findParametersSchema },
  responses: { 200: jsonResponse(foundMessagesSchema, 'The messages, in their order.'), ...failures },
})

export function addSearch(app: App, services: Services): void {
  app.openapi(all, async context => {
    const answer = await services.search.search(queryOf(context.req.valid('query')), context.req.raw.signal)
    const results = answer.results.flatMap(result => {
      const key = keyOfSession(result)
      const row = services.sessions.get(key)?.row
      // A name that a person gave is the title.
      return row?.hidden === true ? [] : [{ ...result, title: row?.title ?? result.title, key }]
    })
    const indexing = services.search.progress()
    const behind =
      indexing === null ? answer.indexed.behind : Math.max(answer.indexed.behind, indexing.total - indexing.done)
    const page: SearchPage = { ...answer, results, indexed: { ...answer.indexed, behind }, indexing }
    return context.json(page, 200)
  })
  app.openapi(one, async context => {
    const { session } = servedBy(services, context.req.valid('param').key)
    const query = queryOf(context.req.valid('query'))
    const { messages, isMore } = await services.search.messages(session, query, context.req.raw.signal)
    return context.json({ messages: messages.map(number => number - 1), isMore }, 200)
  })
}

function queryOf({ text, typing, since, until, ...rest }: SearchParameters): SearchQuery {
  return {
    ...rest,
    text,
    isTyping: typing === 'yes',
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  }
}
