// What the doctor found: conversations that their agents do not list, and folders that moved.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { UNLISTED } from '../../agents/listing.ts'
import { damagesIn } from '../../disk/vault/receipt.ts'
import { findReceipt } from '../../disk/vault/receipts.ts'
import { RethreadError } from '../../model/errors.ts'
import { doctorSchema, fixResultsSchema, MAX_PAGE, plannedMoveSchema } from '../api.ts'
import type { App } from '../http.ts'
import type { Services } from '../services.ts'
import { failures, jsonResponse, servedBy } from './common.ts'

const moveParameter = z.object({ id: z.string().min(1).max(100) })

const report = createRoute({
  method: 'get',
  path: '/api/doctor',
  summary: 'Conversations that are missing from the lists of their agents, and why',
  request: { query: z.object({ fresh: z.enum(['true', 'false']).optional() }) },
  responses: { 200: jsonResponse(doctorSchema, 'The report. Nothing is changed.'), ...failures },
})
const relink = createRoute({
  method: 'post',
  path: '/api/doctor/relink',
  summary: 'Make agents list conversations again',
  request: { body: body(z.object({ keys: z.array(z.string().min(1).max(100)).min(1).max(MAX_PAGE) })) },
  responses: { 200: jsonResponse(fixResultsSchema, 'What was done, or why not, with the receipts.'), ...failures },
})
const plan = createRoute({
  method: 'get',
  path: '/api/doctor/moves/{id}/plan',
  summary: 'Show what would change for a folder that moved',
  request: { params: moveParameter },
  responses: { 200: jsonResponse(plannedMoveSchema, 'The plan. Nothing is changed.'), ...failures },
})
const move = createRoute({
  method: 'post',
  path: '/api/doctor/moves/{id}',
  summary: 'Make all agents list the conversations of a folder at its new path',
  request: { params: moveParameter },
  responses: { 200: jsonResponse(fixResultsSchema, 'What was done, or why not, with the receipts.'), ...failures },
})
const undo = createRoute({
  method: 'post',
  path: '/api/doctor/undo',
  summary: 'Undo what a relink or a move changed',
  request: { body: body(z.object({ receipt: z.string().min(1).max(200) })) },
  responses: { 200: jsonResponse(z.object({ receipt: z.string() }), 'It is undone.'), ...failures },
})

function body<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true }
}

export function addDoctor(app: App, services: Services): void {
  const { doctor, checks } = services
  app.openapi(report, async context => {
    const isFresh = context.req.valid('query').fresh === 'true'
    return context.json(await doctor.answer({ isFresh }), 200)
  })
  app.openapi(relink, async context => {
    const served = context.req.valid('json').keys.map(key => servedBy(services, key))
    for (const { key } of served) checks.assertFree(key)
    return context.json({ results: shown(await doctor.relink(served)) }, 200)
  })
  app.openapi(plan, async context => context.json(await doctor.planMove(context.req.valid('param').id), 200))
  app.openapi(move, async context =>
    context.json({ results: shown(await doctor.move(context.req.valid('param').id)) }, 200),
  )
  app.openapi(undo, async context => {
    const { receipt } = context.req.valid('json')
    assertListing(services, receipt)
    return context.json({ receipt: await doctor.undo(receipt) }, 200)
  })
}

type Results = z.infer<typeof fixResultsSchema>['results']

function shown(results: Awaited<ReturnType<Services['doctor']['relink']>>): Results {
  return results.map(({ receipt, ...result }) => (receipt === undefined ? result : { ...result, receipt }))
}

/** Other repairs are undone with their session, which may run in a terminal. */
function assertListing({ context }: Services, id: string): void {
  const { receipt } = findReceipt(context.state, id)
  const isListing = receipt.changes.flatMap(damagesIn).every(damage => damage === UNLISTED)
  if (receipt.id === id && isListing) return
  throw new RethreadError({
    code: 'no-receipt',
    text: `${id} is not a receipt of a relink or a move.`,
    hint: 'See all repairs: rethread repairs',
  })
}
