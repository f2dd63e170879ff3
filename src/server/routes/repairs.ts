// Health, plan, repair and undo of one session, and the repair of all.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { RethreadError } from '../../model/errors.ts'
import type { ApiReceipt } from '../api.ts'
import { healthSchema, planSchema, repairAnswerSchema, undoAnswerSchema } from '../api.ts'
import type { App } from '../http.ts'
import { planForPage } from '../plan.ts'
import { receiptsOf } from '../receipts.ts'
import type { Services } from '../services.ts'
import { apiVerdict } from '../verdict.ts'
import { failures, jsonBody, jsonResponse, keyParameter, servedBy } from './common.ts'

const health = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/health',
  summary: 'The verdict on a session as it is now, and its repairs',
  request: { params: keyParameter },
  responses: { 200: jsonResponse(healthSchema, 'The verdict.'), ...failures },
})
const plan = createRoute({
  method: 'get',
  path: '/api/sessions/{key}/plan',
  summary: 'Show what a repair would do: the bytes, and what they mean',
  request: { params: keyParameter },
  responses: { 200: jsonResponse(planSchema, 'The plan. Nothing is changed.'), ...failures },
})
const repair = createRoute({
  method: 'post',
  path: '/api/sessions/{key}/repair',
  summary: 'Repair a session; a full copy is kept',
  request: { params: keyParameter, body: jsonBody(z.object({ force: z.boolean().optional() })) },
  responses: { 200: jsonResponse(repairAnswerSchema, 'What was done, or why not.'), ...failures },
})
const undo = createRoute({
  method: 'post',
  path: '/api/sessions/{key}/undo',
  summary: 'Undo a repair; what was written since is kept',
  request: { params: keyParameter, body: jsonBody(z.object({ receipt: z.string().max(200).optional() })) },
  responses: { 200: jsonResponse(undoAnswerSchema, 'It is undone.'), ...failures },
})
const all = createRoute({
  method: 'post',
  path: '/api/repair-all',
  summary: 'Repair every damaged session, one after another; the socket reports progress',
  responses: { 200: jsonResponse(z.object({ total: z.number() }), 'How many will be repaired.'), ...failures },
})

export function addRepairs(app: App, services: Services): void {
  const { checks } = services
  app.openapi(health, async context => {
    const { key } = context.req.valid('param')
    servedBy(services, key)
    const { signal } = context.req.raw
    const verdict = await checks.verdict(key, { priority: 'visible', signal })
    const receipts = receiptsOf(services, key)
    const undo = lastApplied(receipts)?.id ?? null
    return context.json({ verdict: apiVerdict(services, verdict), receipts, undo }, 200)
  })
  app.openapi(plan, async context => {
    const { key } = context.req.valid('param')
    const served = servedBy(services, key)
    return context.json(planForPage(services, served.session, await checks.plan(key)), 200)
  })
  app.openapi(repair, async context => {
    const { key } = context.req.valid('param')
    const { force = false } = context.req.valid('json')
    const { report, verdict } = await checks.repair(key, { force })
    const { backupPath: _where, ...shown } = report
    return context.json({ report: shown, verdict: apiVerdict(services, verdict) }, 200)
  })
  app.openapi(undo, async context => {
    const { key } = context.req.valid('param')
    servedBy(services, key)
    const which = undoable(receiptsOf(services, key), context.req.valid('json').receipt)
    const { receipt, verdict, notes } = await checks.undo(key, which)
    return context.json({ receipt, verdict: apiVerdict(services, verdict), notes }, 200)
  })
  app.openapi(all, context => {
    const total = checks.repairAll(progress => services.broadcast({ type: 'repair.progress', ...progress }))
    return context.json({ total }, 200)
  })
}

function lastApplied(receipts: readonly ApiReceipt[]): ApiReceipt | undefined {
  return receipts.find(({ state, hasBackup }) => state === 'applied' && hasBackup)
}

/** Only repairs of this session can be undone here, because another session may run in a terminal. */
function undoable(receipts: readonly ApiReceipt[], asked: string | undefined): string {
  const found = asked === undefined ? lastApplied(receipts) : receipts.find(({ id }) => id === asked)
  if (found !== undefined) return found.id
  throw new RethreadError({
    code: 'no-receipt',
    text: asked === undefined ? 'This session has no repair to undo.' : `This session has no repair ${asked}.`,
    hint: 'See all repairs: rethread repairs',
  })
}
