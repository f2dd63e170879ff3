// A session as the clients see it, in both flavours at once. The one clash: `model` is a string here and an object in the newest SDK.
import { z } from 'zod'
import { tokensSchema } from './tokens.ts'

export const sessionSchema = z.object({
  id: z.string(),
  slug: z.string(),
  projectID: z.string(),
  directory: z.string(),
  parentID: z.string().optional(),
  title: z.string(),
  version: z.string(),
  time: z.object({ created: z.number(), updated: z.number(), archived: z.number().optional() }),
  /** Name of the agent, as is `providerID`. */
  agent: z.string(),
  model: z.string(),
  providerID: z.string(),
  modelID: z.string(),
  permissionMode: z.string().optional(),
  summary: z.object({ additions: z.number(), deletions: z.number(), files: z.number() }).optional(),
  cost: z.number(),
  tokens: tokensSchema,
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type Session = z.infer<typeof sessionSchema>

/** For clients that know `model` as an object. */
export const nativeSessionSchema = sessionSchema.extend({ model: z.object({ id: z.string(), providerID: z.string() }) })
export type NativeSession = z.infer<typeof nativeSessionSchema>

export function toNativeSession(session: Session): NativeSession {
  return { ...session, model: { id: session.modelID, providerID: session.providerID } }
}
