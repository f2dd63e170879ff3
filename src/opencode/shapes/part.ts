// The parts of a message that this server sends. Clients know further ones.
import { z } from 'zod'

const frame = z.object({ id: z.string(), sessionID: z.string(), messageID: z.string() })
const more = z.record(z.string(), z.unknown())
const span = z.object({ start: z.number(), end: z.number().optional() })

/** The tokens that an answer used. */
export const tokensSchema = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cache: z.object({ read: z.number(), write: z.number() }),
})
export type Tokens = z.infer<typeof tokensSchema>

export function noTokens(): Tokens {
  return { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
}

const ended = z.object({ start: z.number(), end: z.number() })

/** An interrupted tool has the status `error`: clients have no other status for a tool that will not end. */
export const toolStateSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending'), input: more, raw: z.string() }),
  z.object({
    status: z.literal('running'),
    input: more,
    title: z.string().optional(),
    metadata: more.optional(),
    time: z.object({ start: z.number() }),
  }),
  z.object({
    status: z.literal('completed'),
    input: more,
    output: z.string(),
    title: z.string(),
    metadata: more,
    time: ended,
  }),
  z.object({ status: z.literal('error'), input: more, error: z.string(), metadata: more.optional(), time: ended }),
])
export type ToolState = z.infer<typeof toolStateSchema>

export const textPartSchema = frame.extend({
  type: z.literal('text'),
  text: z.string(),
  /** Not written by a person or agent, but made from content without text. */
  synthetic: z.boolean().optional(),
  time: span.optional(),
  metadata: more.optional(),
})
export const reasoningPartSchema = frame.extend({
  type: z.literal('reasoning'),
  text: z.string(),
  time: span,
  metadata: more.optional(),
})
export const filePartSchema = frame.extend({
  type: z.literal('file'),
  mime: z.string(),
  filename: z.string().optional(),
  url: z.string(),
})
export const toolPartSchema = frame.extend({
  type: z.literal('tool'),
  callID: z.string(),
  tool: z.string(),
  state: toolStateSchema,
  metadata: more.optional(),
})
export const stepStartPartSchema = frame.extend({ type: z.literal('step-start') })
export const stepFinishPartSchema = frame.extend({
  type: z.literal('step-finish'),
  reason: z.string(),
  cost: z.number(),
  tokens: tokensSchema,
})

export const partSchema = z.discriminatedUnion('type', [
  textPartSchema,
  reasoningPartSchema,
  filePartSchema,
  toolPartSchema,
  stepStartPartSchema,
  stepFinishPartSchema,
])
export type Part = z.infer<typeof partSchema>
export type TextPart = z.infer<typeof textPartSchema>
export type ReasoningPart = z.infer<typeof reasoningPartSchema>
export type FilePart = z.infer<typeof filePartSchema>
export type ToolPart = z.infer<typeof toolPartSchema>
