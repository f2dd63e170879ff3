// Conversations that are folders of files: what is wrong, what the user has to decide, and the decisions.
import { z } from 'zod'
import { editSchema, verdictSchema } from './health.ts'

/** The longest text that can be edited in the page. Longer files need the command. */
export const MAX_EDITED_CHARS = 1024 * 1024

/** The longest command line that can be pasted. */
export const MAX_FLAGS_CHARS = 20_000

const content = z.string().max(MAX_EDITED_CHARS)
const flagsLine = z.string().max(MAX_FLAGS_CHARS)
const folderName = z.string().max(1000)

const lineSchema = z.object({
  part: z.enum(['repaired', 'degraded', 'trashed', 'skipped', 'lockedOut', 'blocked', 'left', 'noticed']),
  text: z.string(),
  receipt: z.string().optional(),
  /** What the user can do about it. */
  remark: z.string().optional(),
})
export type SanitizeLine = z.infer<typeof lineSchema>

const invalidSchema = z.object({ text: z.string(), line: z.number(), column: z.number() })

const nameQuestionSchema = z.object({
  /** The current name of the folder. */
  folder: z.string(),
  proposed: z.string(),
  /** What the proposal is derived from, as the end of a sentence. */
  source: z.string(),
})
export type NameQuestion = z.infer<typeof nameQuestionSchema>

const eventsQuestionSchema = invalidSchema.extend({
  file: z.string(),
  path: z.string(),
  /** Identifies the bytes that the user has seen. A decision about other bytes is refused. */
  mark: z.string(),
  excerpt: z.string(),
  /** Single invalid events in a file that can be parsed. */
  elements: z.array(z.object({ index: z.number(), text: z.string() })),
  moreElements: z.number(),
  size: z.number(),
  /** Null if the page cannot edit it; `notEditable` says why. */
  content: z.string().nullable(),
  notEditable: z.string().nullable(),
  suggestion: z.object({ text: z.string(), edits: z.array(editSchema), moreEdits: z.number() }).nullable(),
})
export type EventsQuestion = z.infer<typeof eventsQuestionSchema>

const flagsQuestionSchema = z.object({
  file: z.string(),
  text: z.string(),
  /** The flags of the last attempt, to prefill the form. */
  remembered: z.string().nullable(),
})
export type FlagsQuestion = z.infer<typeof flagsQuestionSchema>

export const sanitizeSchema = z.object({
  lines: z.array(lineSchema),
  /**
   * The question about the name. The other questions are about the files and are answered in the same
   * request.
   */
  name: nameQuestionSchema.nullable(),
  events: eventsQuestionSchema.nullable(),
  flags: flagsQuestionSchema.nullable(),
  /**
   * No question is open, but the conversation or a copy of it would go to the trash. Ask for confirmation.
   */
  isTrashed: z.boolean(),
})
export type SanitizeQuestions = z.infer<typeof sanitizeSchema>

export const validateBodySchema = z.object({ content })
export const validatedSchema = z.discriminatedUnion('isRight', [
  z.object({ isRight: z.literal(true) }),
  invalidSchema.extend({ isRight: z.literal(false) }),
])
export type Validated = z.infer<typeof validatedSchema>

export const nameBodySchema = z.object({ name: folderName })
export const nameAnswerSchema = z.discriminatedUnion('isRight', [
  z.object({ isRight: z.literal(true) }),
  z.object({ isRight: z.literal(false), text: z.string() }),
])
export type NameAnswer = z.infer<typeof nameAnswerSchema>

export const flagsBodySchema = z.object({ line: flagsLine })
export const flagsAnswerSchema = z.discriminatedUnion('type', [
  /** The overrides that would be written. */
  z.object({ type: z.literal('delta'), delta: z.record(z.string(), z.unknown()), notes: z.array(z.string()) }),
  z.object({ type: z.literal('wrong'), text: z.string() }),
])
export type FlagsAnswer = z.infer<typeof flagsAnswerSchema>

const mark = z.string().max(200)
export const sanitizeBodySchema = z.object({
  /**
   * Files without a decision are left unchanged. Without a decision about the name, so is everything else.
   */
  name: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('rename'), name: folderName }),
      z.object({ type: z.literal('trash') }),
      z.object({ type: z.literal('leave') }),
    ])
    .optional(),
  events: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('replace'), mark, content }),
      z.object({ type: z.literal('suggestion'), mark }),
      z.object({ type: z.literal('trash'), mark }),
      z.object({ type: z.literal('leave') }),
    ])
    .optional(),
  /** Null or absent: the repair leaves the flags out. */
  flags: z.object({ line: flagsLine }).nullable().optional(),
})
export type SanitizeDecisions = z.infer<typeof sanitizeBodySchema>

export const sanitizedSchema = z.object({
  lines: z.array(lineSchema),
  verdict: verdictSchema,
  /** The new key of the session, if it was renamed. */
  newKey: z.string().nullable(),
})
export type Sanitized = z.infer<typeof sanitizedSchema>
