// A session as the clients see it, in both flavours at once. The one clash: `model` is a string here and an object in the newest SDK.
import { z } from 'zod'
import { tokensSchema } from './part.ts'

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

// Whether a turn runs in a session.

export const sessionStatusSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('idle') }),
  z.object({ type: z.literal('busy') }),
  z.object({ type: z.literal('retry'), attempt: z.number(), message: z.string(), next: z.number() }),
])
export type SessionStatus = z.infer<typeof sessionStatusSchema>

/** Of all sessions, those that are idle too. */
export const statusesSchema = z.record(z.string(), sessionStatusSchema)

// One thing the agent means to do.

export const todoSchema = z.object({
  content: z.string(),
  status: z.string(),
  priority: z.string(),
  /** Only older clients look at it. */
  id: z.string(),
})
export type Todo = z.infer<typeof todoSchema>

// What a session changed in one file. `before` and `after` are for older clients, `patch` and `status` for newer ones.

export const fileDiffSchema = z.object({
  file: z.string(),
  before: z.string(),
  after: z.string(),
  patch: z.string(),
  additions: z.number(),
  deletions: z.number(),
  status: z.enum(['added', 'deleted', 'modified']),
})
export type FileDiff = z.infer<typeof fileDiffSchema>

// What is kept of a session beside its events. Fields of others stay as they are.

export const sessionMetadataSchema = z.looseObject({
  /** As a person set it; it goes before what the agent calls the session. */
  title: z.string().optional(),
  /** In the words of the journal. */
  parent: z.string().optional(),
  permissionMode: z.string().optional(),
  providerID: z.string().optional(),
  modelID: z.string().optional(),
  /** The id came from a client: it is shown as it is, whatever it begins with. */
  isGivenId: z.boolean().optional(),
  /** So many first events are copies from the session it was forked from: ids that a client gave in them belong to that one. */
  forkedUpTo: z.number().optional(),
  /** So that a list needs no view: what the agent called it, and when it last changed. */
  agentTitle: z.string().optional(),
  updatedAt: z.number().optional(),
  time: z.looseObject({ archived: z.number().optional() }).optional(),
  /** Of the client; never looked at. */
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type SessionMetadata = z.infer<typeof sessionMetadataSchema>

/** A field that somebody else wrote otherwise is as good as absent; the others count. */
export function parseMetadata(value: Record<string, unknown> | undefined): SessionMetadata {
  const fields = Object.entries(value ?? {}).filter(([name, field]) => {
    const known = Object.hasOwn(sessionMetadataSchema.shape, name)
      ? Reflect.get(sessionMetadataSchema.shape, name)
      : undefined
    return !(known instanceof z.ZodType) || known.safeParse(field).success
  })
  return sessionMetadataSchema.parse(Object.fromEntries(fields))
}
