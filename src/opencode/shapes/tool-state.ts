// How far a tool is. An interrupted one is an error: clients know no other word for a tool that will not end.
import { z } from 'zod'

const more = z.record(z.string(), z.unknown())
const ended = z.object({ start: z.number(), end: z.number() })

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
