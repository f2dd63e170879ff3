// The messages of one session, and its bytes.
import { z } from 'zod'
import { findingSchema, MAX_MESSAGE_PAGE, placeSchema, wholeNumber } from './common.ts'

/** How many characters were cut. GET `messages/INDEX` has the whole text. */
const cut = { cutChars: z.number().optional() }
export const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), ...cut }),
  z.object({ type: z.literal('thinking'), text: z.string(), ...cut }),
  z.object({
    type: z.literal('tool-call'),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
    /** Only in a live conversation: the tool has not finished. */
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
    /** Present if GET messages/INDEX/images/PART serves the image. */
    imageBytes: z.number().optional(),
  }),
  z.object({ type: z.literal('notice'), text: z.string(), ...cut }),
  z.object({ type: z.literal('unknown'), recordType: z.string(), value: z.unknown(), ...cut }),
])
export type ApiPart = z.infer<typeof partSchema>

export const messageSchema = z.object({
  /** Its position in the conversation, from 0. */
  index: z.number(),
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  time: z.string().nullable(),
  parts: z.array(partSchema),
  at: placeSchema,
  model: z.string().optional(),
  /** Only in a live conversation: the message may still grow. */
  isOpen: z.boolean().optional(),
})
export type ApiMessage = z.infer<typeof messageSchema>

export const messagesQuerySchema = z.object({
  /** The index of the first message. Negative numbers count from the end. Without it, the last page. */
  from: wholeNumber(-Number.MAX_SAFE_INTEGER).optional(),
  limit: wholeNumber(1, MAX_MESSAGE_PAGE).optional(),
  /** Instead of `from`: the page around the record at this byte of the session file. */
  around: wholeNumber(0).optional(),
  /** Instead of `from`: the page around the message with this id. The last page where there is none. */
  message: z.string().max(1000).optional(),
  branch: z.string().max(200).optional(),
  /** As of this restore point. */
  version: wholeNumber(0).optional(),
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
  /** How many messages have been read. It grows while `isComplete` is false. */
  total: z.number(),
  /** The reading has reached the end of the file. */
  isComplete: z.boolean(),
  /** Changes when the messages have been read again. Indexes from before are then invalid. */
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

/** Bytes around a place, for the byte view. */
export const bytesSchema = z.object({
  file: z.string(),
  start: z.number(),
  end: z.number(),
  fileSize: z.number(),
  base64: z.string(),
})
export type ApiBytes = z.infer<typeof bytesSchema>
