// What is kept of a session beside its events. Fields of others stay as they are.
import { z } from 'zod'

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
export function readMetadata(value: Record<string, unknown> | undefined): SessionMetadata {
  const fields = Object.entries(value ?? {}).filter(([name, field]) => {
    const known = Object.hasOwn(sessionMetadataSchema.shape, name)
      ? Reflect.get(sessionMetadataSchema.shape, name)
      : undefined
    return !(known instanceof z.ZodType) || known.safeParse(field).success
  })
  return sessionMetadataSchema.parse(Object.fromEntries(fields))
}
