// What all routes share: parameters, and the answers that can come instead of the one that was wanted.
import { z } from 'zod'
import { apiErrorSchema } from '../api.ts'
import { whyGone } from '../checks/status.ts'
import type { Services } from '../services.ts'
import type { ServedSession } from '../sessions/index.ts'

export const keyParameter = z.object({ key: z.string().min(1).max(100) })

export function jsonOf<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

/** As the table of error codes says. */
export const failures = {
  400: jsonOf(apiErrorSchema, 'The request does not fit.'),
  401: jsonOf(apiErrorSchema, 'The token is missing or wrong.'),
  404: jsonOf(apiErrorSchema, 'There is no such thing.'),
  409: jsonOf(apiErrorSchema, 'Somebody is writing, or has written since.'),
  422: jsonOf(apiErrorSchema, 'It is there, but cannot be read as what it should be.'),
}

export function servedBy({ sessions }: Services, key: string): ServedSession {
  const served = sessions.get(key)
  if (served === undefined) throw whyGone(key, sessions.gone(key))
  return served
}
