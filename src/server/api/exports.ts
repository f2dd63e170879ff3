// A conversation as a JSON file.
import { z } from 'zod'
import { placeSchema } from './common.ts'

export const exportedSchema = z.looseObject({
  agent: z.string(),
  agentTitle: z.string(),
  sessionId: z.string(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  updatedAt: z.string(),
  isRedacted: z.boolean(),
  /** The session could not be read completely when it was read last. */
  isPartial: z.boolean(),
  messages: z.array(
    z.looseObject({
      /** From 1. */
      number: z.number(),
      id: z.string(),
      role: z.enum(['user', 'assistant', 'tool', 'system']),
      time: z.string().nullable(),
      parts: z.array(z.looseObject({ type: z.string() })),
      /** Absent in a redacted file. */
      at: placeSchema.optional(),
      model: z.string().optional(),
    }),
  ),
  facts: z.looseObject({}),
  isComplete: z.boolean(),
  /** What could not be read, as sentences. */
  missing: z.array(z.string()).optional(),
})
