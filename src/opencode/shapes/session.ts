// A session as clients see it, with its status, todos, diffs and metadata. It has the fields of both client
// SDKs, except that `model` is a string here and an object in the newest SDK.
import { z } from 'zod'
import { permissionRuleSchema } from '../permission-rules.ts'
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
  /** The name of the agent, like `providerID`. */
  agent: z.string(),
  model: z.string(),
  providerID: z.string(),
  modelID: z.string(),
  permissionMode: z.string().optional(),
  summary: z.object({ additions: z.number(), deletions: z.number(), files: z.number() }).optional(),
  cost: z.number(),
  tokens: tokensSchema,
  metadata: z.record(z.string(), z.unknown()).optional(),
  permission: z.array(permissionRuleSchema).optional(),
})
export type Session = z.infer<typeof sessionSchema>

/** For clients that expect `model` as an object. */
export const nativeSessionSchema = sessionSchema.extend({ model: z.object({ id: z.string(), providerID: z.string() }) })
export type NativeSession = z.infer<typeof nativeSessionSchema>

export function toNativeSession(session: Session): NativeSession {
  return { ...session, model: { id: session.modelID, providerID: session.providerID } }
}

export const sessionStatusSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('idle') }),
  z.object({ type: z.literal('busy') }),
  z.object({ type: z.literal('retry'), attempt: z.number(), message: z.string(), next: z.number() }),
])
export type SessionStatus = z.infer<typeof sessionStatusSchema>

export const todoSchema = z.object({
  content: z.string(),
  status: z.string(),
  priority: z.string(),
  /** Only older clients read it. */
  id: z.string(),
})
export type Todo = z.infer<typeof todoSchema>

// The changes of a session in one file. `before` and `after` are for older clients, `patch` and `status` for
// newer ones.

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

// The metadata that is stored with a session. Unknown fields are kept.

export const sessionMetadataSchema = z.looseObject({
  /** The title that a person set. It wins over the agent's title. */
  title: z.string().optional(),
  /** The journal id of the parent. */
  parent: z.string().optional(),
  permissionMode: z.string().optional(),
  /** Decide on requests of the agent without asking a person. */
  permission: z.array(permissionRuleSchema).optional(),
  providerID: z.string().optional(),
  modelID: z.string().optional(),
  /** The id came from a client and is shown unchanged. */
  isGivenId: z.boolean().optional(),
  /** Events up to this one were copied by a fork. Message ids in them belong to the parent. */
  forkedUpTo: z.number().optional(),
  /**
   * Stored so that a list needs no view: the agent's title, the beginning of the
   * first message, and the time of the last change.
   */
  agentTitle: z.string().optional(),
  firstWords: z.string().optional(),
  updatedAt: z.number().optional(),
  time: z.looseObject({ archived: z.number().optional() }).optional(),
  /** Columns of the journal that were damaged and rebuilt from the events. */
  rebuilt: z.array(z.string()).optional(),
  /** Data of the client, never read here. */
  metadata: z.record(z.string(), z.unknown()).optional(),
})
export type SessionMetadata = z.infer<typeof sessionMetadataSchema>

/** Ignores a field of the wrong type and keeps the others. */
export function parseMetadata(value: Record<string, unknown> | undefined): SessionMetadata {
  const fields = Object.entries(value ?? {}).filter(([name, field]) => {
    const known = Object.hasOwn(sessionMetadataSchema.shape, name)
      ? Reflect.get(sessionMetadataSchema.shape, name)
      : undefined
    return !(known instanceof z.ZodType) || known.safeParse(field).success
  })
  return sessionMetadataSchema.parse(Object.fromEntries(fields))
}
