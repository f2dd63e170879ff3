// The messages of one session, and its bytes.
import { z } from 'zod'
import { findingSchema, MAX_MESSAGE_PAGE, placeSchema, wholeNumber } from './common.ts'

/** How much was cut off; the whole stands at `messages/INDEX`. */
const cut = { cutChars: z.number().optional() }
export const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), ...cut }),
  z.object({ type: z.literal('thinking'), text: z.string(), ...cut }),
  z.object({
    type: z.literal('tool-call'),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
    /** Only of a conversation that is live: it has not ended yet. */
    status: z.enum(['pending', 'running']).optional(),
    ...cut,
  }),
  z.object({ type: z.literal('tool-result'), id: z.string(), output: z.string(), isError: z.boolean(), ...cut }),
  z.object({
    type: z.literal('file'),
    name: z.string().nullable(),
    mime: z.string().nullable(),
    source: z.enum(['inline', 'path', 'url']),
    reference: z.string().nullable(),
    /** A picture that can be shown: GET messages/INDEX/images/PART */
    imageBytes: z.number().optional(),
  }),
  z.object({ type: z.literal('notice'), text: z.string(), ...cut }),
  z.object({ type: z.literal('unknown'), recordType: z.string(), value: z.unknown(), ...cut }),
])
export type ApiPart = z.infer<typeof partSchema>

export const messageSchema = z.object({
  /** Its place in the conversation, from 0. */
  index: z.number(),
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  time: z.string().nullable(),
  parts: z.array(partSchema),
  at: placeSchema,
  model: z.string().optional(),
  /** Only of a conversation that is live: it may still grow. */
  isOpen: z.boolean().optional(),
})
export type ApiMessage = z.infer<typeof messageSchema>

export const messagesQuerySchema = z.object({
  /** The first wanted; negative counts from the end. Without it, the last page. */
  from: wholeNumber(-Number.MAX_SAFE_INTEGER).optional(),
  limit: wholeNumber(1, MAX_MESSAGE_PAGE).optional(),
  /** In place of `from`: the page around the record at this byte of the session's file. */
  around: wholeNumber(0).optional(),
  branch: z.string().max(200).optional(),
})
export type MessagesQuery = z.infer<typeof messagesQuerySchema>

export const partialSchema = z.object({
  code: z.enum(['still-being-written', 'records-unreadable', 'document-cut-short', 'database-busy']),
  text: z.string(),
  parsedUpTo: z.number(),
  recovered: z.boolean(),
})

export const branchSchema = z.object({
  id: z.string(),
  kind: z.enum(['abandoned', 'sidechain']),
  messages: z.number(),
  title: z.string(),
})

export const messagesPageSchema = z.object({
  from: z.number(),
  messages: z.array(messageSchema),
  /** So many so far; more while `isComplete` is false. */
  total: z.number(),
  /** The reading has come to the end of the file as it was then. */
  isComplete: z.boolean(),
  /** Another number once the messages were read again, so that an index means something else. */
  reading: z.number(),
  partial: partialSchema.nullable(),
  findings: z.array(findingSchema),
  branches: z.array(branchSchema),
  facts: z.object({
    title: z.string().optional(),
    project: z.string().optional(),
    startedAt: z.string().optional(),
    agentVersion: z.string().optional(),
    model: z.string().optional(),
    forkedFrom: z.string().optional(),
  }),
})
export type MessagesPage = z.infer<typeof messagesPageSchema>

/** Bytes around a place, for the view of the bytes. */
export const bytesSchema = z.object({
  file: z.string(),
  start: z.number(),
  end: z.number(),
  fileSize: z.number(),
  base64: z.string(),
})
export type ApiBytes = z.infer<typeof bytesSchema>
