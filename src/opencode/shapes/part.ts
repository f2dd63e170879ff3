// The parts of a message that this server gives. Clients know more of them.
import { z } from 'zod'
import { tokensSchema } from './tokens.ts'
import { toolStateSchema } from './tool-state.ts'

const frame = z.object({ id: z.string(), sessionID: z.string(), messageID: z.string() })
const more = z.record(z.string(), z.unknown())
const span = z.object({ start: z.number(), end: z.number().optional() })

export const textPartSchema = frame.extend({
  type: z.literal('text'),
  text: z.string(),
  /** Not what somebody said, but what stands for something that has no words. */
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
export type StepFinishPart = z.infer<typeof stepFinishPartSchema>
