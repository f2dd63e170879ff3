// Whether a turn runs in a session.
import { z } from 'zod'

export const sessionStatusSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('idle') }),
  z.object({ type: z.literal('busy') }),
  z.object({ type: z.literal('retry'), attempt: z.number(), message: z.string(), next: z.number() }),
])
export type SessionStatus = z.infer<typeof sessionStatusSchema>

/** Of all sessions, those that are idle too. */
export const statusesSchema = z.record(z.string(), sessionStatusSchema)
