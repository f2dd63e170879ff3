// /api/sessions/KEY/sanitize: conversations that are folders of files and may need decisions of the user.
import { createRoute } from '@hono/zod-openapi'
import type { SanitizeReport } from '../../agents/sanitizer.ts'
import { findReceipt } from '../../disk/vault/receipts.ts'
import { RethreadError } from '../../model/errors.ts'
import type { FlagsAnswer, SanitizeDecisions, Sanitized } from '../api.ts'
import {
  flagsAnswerSchema,
  flagsBodySchema,
  nameAnswerSchema,
  nameBodySchema,
  sanitizeBodySchema,
  sanitizedSchema,
  sanitizeSchema,
  validateBodySchema,
  validatedSchema,
} from '../api.ts'
import type { App } from '../http.ts'
import { makeDecider, throwIfUnfit } from '../sanitize/decisions.ts'
import { describePreview, linesOf, questionsIn } from '../sanitize/describe.ts'
import { previewOf, sanitizeContextOf, sanitizerOf } from '../sanitize/sanitizer.ts'
import type { Services } from '../services.ts'
import { keyOfSession } from '../sessions/index.ts'
import { apiVerdict } from '../verdict.ts'
import { failures, jsonBody, jsonResponse, keyParameter, servedBy } from './common.ts'

const path = '/api/sessions/{key}/sanitize'

const questions = createRoute({
  method: 'get',
  path,
  summary: 'Report what is wrong with a conversation that is a folder of files, and what a person must decide',
  request: { params: keyParameter },
  responses: { 200: jsonResponse(sanitizeSchema, 'The questions. Nothing is changed.'), ...failures },
})
const validate = createRoute({
  method: 'post',
  path: `${path}/validate`,
  summary: 'Check whether a text is valid as its events, and where it is not',
  request: { params: keyParameter, body: jsonBody(validateBodySchema) },
  responses: { 200: jsonResponse(validatedSchema, 'Nothing is changed.'), ...failures },
})
const name = createRoute({
  method: 'post',
  path: `${path}/name`,
  summary: 'Check whether its folder can have this name, and why not',
  request: { params: keyParameter, body: jsonBody(nameBodySchema) },
  responses: { 200: jsonResponse(nameAnswerSchema, 'Nothing is changed.'), ...failures },
})
const flags = createRoute({
  method: 'post',
  path: `${path}/flags`,
  summary: 'Show what would be written for these flags',
  request: { params: keyParameter, body: jsonBody(flagsBodySchema) },
  responses: { 200: jsonResponse(flagsAnswerSchema, 'Nothing is changed.'), ...failures },
})
const decide = createRoute({
  method: 'post',
  path,
  summary: 'Repair the conversation as decided; damaged files are kept, and each repair can be undone',
  request: { params: keyParameter, body: jsonBody(sanitizeBodySchema) },
  responses: { 200: jsonResponse(sanitizedSchema, 'What was done, and the verdict after it.'), ...failures },
})

export function addSanitize(app: App, services: Services): void {
  app.openapi(questions, async context => {
    const { key } = context.req.valid('param')
    return context.json(describePreview(await previewOf(services, servedBy(services, key).session)), 200)
  })
  app.openapi(validate, async context => {
    const { session } = servedBy(services, context.req.valid('param').key)
    const sanitizer = await sanitizerOf(services, session)
    const invalid = sanitizer.validate(Buffer.from(context.req.valid('json').content))
    return context.json(
      invalid === undefined ? { isRight: true as const } : { isRight: false as const, ...invalid },
      200,
    )
  })
  app.openapi(name, async context => {
    const { session } = servedBy(services, context.req.valid('param').key)
    const asked = questionsIn(await previewOf(services, session)).name
    if (asked === undefined) throw notAsked('a name')
    const text = asked.validate(context.req.valid('json').name)
    return context.json(text === undefined ? { isRight: true as const } : { isRight: false as const, text }, 200)
  })
  app.openapi(flags, async context => {
    const { session } = servedBy(services, context.req.valid('param').key)
    const asked = questionsIn(await previewOf(services, session)).flags
    if (asked === undefined) throw notAsked('flags')
    const { line } = context.req.valid('json')
    const result = asked.parse(line)
    if (result.type === 'wrong') return context.json(result satisfies FlagsAnswer, 200)
    const { type, delta, notes } = result
    return context.json({ type, delta, notes } satisfies FlagsAnswer, 200)
  })
  app.openapi(decide, async context => {
    const { key } = context.req.valid('param')
    servedBy(services, key)
    return context.json(await applyDecisions(services, key, context.req.valid('json')), 200)
  })
}

async function applyDecisions(services: Services, key: string, decisions: SanitizeDecisions): Promise<Sanitized> {
  const { result, verdict } = await services.checks.alter(key, async session => {
    const sanitizer = await sanitizerOf(services, session)
    throwIfUnfit(decisions, await previewOf(services, session))
    const only = [session.filePath]
    return await sanitizer.run({
      ...sanitizeContextOf(services, session),
      mode: 'repair',
      only,
      decide: makeDecider(decisions),
    })
  })
  const newKey = newKeyOf(services, result)
  // The old key no longer exists.
  const current = newKey === null ? verdict : await services.checks.verdict(newKey, { priority: 'active' })
  return { lines: linesOf(result), verdict: apiVerdict(services, current), newKey }
}

/** The receipt contains the new name of the session. */
function newKeyOf({ context, sessions }: Services, { repaired }: SanitizeReport): string | null {
  const receipt = repaired.find(({ target }) => target !== undefined)?.receipt
  const key = receipt === undefined ? undefined : keyOfSession(findReceipt(context.state, receipt).receipt)
  return key !== undefined && sessions.get(key) !== undefined ? key : null
}

function notAsked(what: string): RethreadError {
  return new RethreadError({
    code: 'plan-outdated',
    text: `The conversation does not need ${what}: it has changed, or is complete.`,
    hint: 'Check it again.',
  })
}
