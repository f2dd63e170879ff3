// Messages without their parts, and errors.
import { z } from 'zod'
import { partSchema, tokensSchema } from './part.ts'

const said = z.object({ message: z.string() })

export const messageErrorSchema = z.discriminatedUnion('name', [
  z.object({ name: z.literal('UnknownError'), data: said }),
  /** Cut off by a person, or because the agent or rethread exited. */
  z.object({ name: z.literal('MessageAbortedError'), data: said }),
  z.object({ name: z.literal('MessageOutputLengthError'), data: z.record(z.string(), z.unknown()) }),
  z.object({ name: z.literal('ProviderAuthError'), data: said.extend({ providerID: z.string() }) }),
])
export type MessageError = z.infer<typeof messageErrorSchema>

export const userMessageSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  role: z.literal('user'),
  time: z.object({ created: z.number(), completed: z.number().optional() }),
  agent: z.string(),
  model: z.object({ providerID: z.string(), modelID: z.string() }),
  /** It waits for the turn before it. OpenCode has no such field. */
  queued: z.literal(true).optional(),
})
export type UserMessage = z.infer<typeof userMessageSchema>

export const assistantMessageSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  role: z.literal('assistant'),
  time: z.object({ created: z.number(), completed: z.number().optional() }),
  /** MessageAbortedError where the answer is incomplete. */
  error: messageErrorSchema.optional(),
  parentID: z.string(),
  modelID: z.string(),
  providerID: z.string(),
  mode: z.string(),
  agent: z.string(),
  path: z.object({ cwd: z.string(), root: z.string() }),
  cost: z.number(),
  tokens: tokensSchema,
  finish: z.string().optional(),
})
export type AssistantMessage = z.infer<typeof assistantMessageSchema>

export const messageSchema = z.discriminatedUnion('role', [userMessageSchema, assistantMessageSchema])
export type Message = z.infer<typeof messageSchema>

export const messageWithPartsSchema = z.object({ info: messageSchema, parts: z.array(partSchema) })
export type MessageWithParts = z.infer<typeof messageWithPartsSchema>

/** One client SDK reads `errors`, the other `name` and `data`. */
export const errorBodySchema = z.object({
  errors: z.array(said),
  name: z.string(),
  data: z.looseObject({ message: z.string() }),
})
export type ErrorBody = z.infer<typeof errorBodySchema>

export function makeErrorBody(name: string, message: string): ErrorBody {
  return { errors: [{ message }], name, data: { message } }
}
