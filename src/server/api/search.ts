// Full-text search, in all conversations and in one.
import { z } from 'zod'
import { searchAnswerSchema, searchResultSchema, searchRoleSchema } from '../../search/shapes.ts'
import { MAX_PAGE, wholeNumber } from './common.ts'

const words = {
  /** Words, "phrases", -not, prefix*. */
  text: z.string().max(1000),
  /** The last word may not be complete yet. */
  typing: z.enum(['yes', 'no']).optional(),
}

export const searchParametersSchema = z.object({
  ...words,
  agent: z.string().max(100).optional(),
  /** An absolute folder. */
  project: z.string().max(4096).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  role: searchRoleSchema.optional(),
  /** A path, or the end of one. */
  file: z.string().max(4096).optional(),
  limit: wholeNumber(1, MAX_PAGE).optional(),
})
export type SearchParameters = z.infer<typeof searchParametersSchema>

export const foundSessionSchema = searchResultSchema.extend({
  /** Identifies this session in every other request. */
  key: z.string(),
})
export type FoundSession = z.infer<typeof foundSessionSchema>

export const searchPageSchema = searchAnswerSchema.extend({
  results: z.array(foundSessionSchema),
  /** Present while conversations are being indexed. */
  indexing: z.object({ done: z.number(), total: z.number(), bytesDone: z.number(), bytesTotal: z.number() }).nullable(),
})
export type SearchPage = z.infer<typeof searchPageSchema>

export const findParametersSchema = z.object(words)
export type FindParameters = z.infer<typeof findParametersSchema>

export const foundMessagesSchema = z.object({
  /** The indexes of the messages that match, in their order. */
  messages: z.array(z.number()),
  /** There are more than are listed. */
  isMore: z.boolean(),
})
export type FoundMessages = z.infer<typeof foundMessagesSchema>
