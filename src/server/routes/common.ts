// What all routes share: parameters and error answers.
import { z } from 'zod'
import { apiErrorSchema } from '../api.ts'
import { whyGone } from '../checks/status.ts'
import type { ErrorStatus, RefusalStatus } from '../http-status.ts'
import type { Services } from '../services.ts'
import type { ServedSession } from '../sessions/index.ts'

export const keyParameter = z.object({ key: z.string().min(1).max(100) })

export function jsonResponse<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true }
}

const failure = (description: string) => jsonResponse(apiErrorSchema, description)

/**
 * Every error answer of the error table and the guards. Every route lists them. A status without a
 * description is a type error.
 */
export const failures = {
  400: failure('The request is not valid.'),
  401: failure('The token is missing or wrong.'),
  403: failure('No permission, or the request comes from another site.'),
  404: failure('Not found.'),
  408: { description: 'The request took too long to arrive.' },
  409: failure('It is being written, or has changed since.'),
  413: failure('The body is too long.'),
  415: failure('The body is not JSON.'),
  422: failure('It exists, but cannot be read.'),
  423: failure('Another program has locked it.'),
  431: { description: 'The headers are too long.' },
  500: failure('The disk, or rethread itself, failed.'),
  501: failure('This cannot be done here, or not with this conversation.'),
  502: failure('The agent failed: it could not be started, ended, or refused.'),
  503: failure('The server is stopping, or has no resources left.'),
  504: failure('It took too long.'),
  507: failure('The disk is full.'),
} satisfies Record<ErrorStatus | RefusalStatus, unknown>

export function servedBy({ sessions }: Services, key: string): ServedSession {
  const served = sessions.get(key)
  if (served === undefined) throw whyGone(key, sessions.gone(key))
  return served
}
