// Conversations that are folders of files: what is wrong with one, what a person must decide, and what was decided.
import { z } from 'zod'
import { editSchema, verdictSchema } from './health.ts'

/** Of the text that is edited in the page; what is longer is edited with the command. */
export const MAX_EDITED_CHARS = 1024 * 1024

/** Of a command line that is pasted. */
export const MAX_FLAGS_CHARS = 20_000

const content = z.string().max(MAX_EDITED_CHARS)
const flagsLine = z.string().max(MAX_FLAGS_CHARS)
const folderName = z.string().max(1000)

const lineSchema = z.object({
  part: z.enum(['repaired', 'degraded', 'trashed', 'skipped', 'lockedOut', 'blocked', 'left', 'noticed']),
  text: z.string(),
  receipt: z.string().optional(),
  /** What a person can do about it. */
  remark: z.string().optional(),
})
export type SanitizeLine = z.infer<typeof lineSchema>

const invalidSchema = z.object({ text: z.string(), line: z.number(), column: z.number() })

const nameQuestionSchema = z.object({
  /** The name of the folder as it is. */
  folder: z.string(),
  proposed: z.string(),
  /** What that is made of, as the end of a sentence. */
  source: z.string(),
})
export type NameQuestion = z.infer<typeof nameQuestionSchema>

const eventsQuestionSchema = invalidSchema.extend({
  file: z.string(),
  path: z.string(),
  /** Of the bytes that the person was shown; a decision about others is refused. */
  mark: z.string(),
  excerpt: z.string(),
  /** Single events that are wrong, where the file as a whole is not. */
  elements: z.array(z.object({ index: z.number(), text: z.string() })),
  moreElements: z.number(),
  size: z.number(),
  /** Null where it cannot be edited in a page, and `notEditable` says why. */
  content: z.string().nullable(),
  notEditable: z.string().nullable(),
  suggestion: z.object({ text: z.string(), edits: z.array(editSchema), moreEdits: z.number() }).nullable(),
})
export type EventsQuestion = z.infer<typeof eventsQuestionSchema>

const flagsQuestionSchema = z.object({
  file: z.string(),
  text: z.string(),
  /** From the last time, to fill in. */
  remembered: z.string().nullable(),
})
export type FlagsQuestion = z.infer<typeof flagsQuestionSchema>

export const sanitizeSchema = z.object({
  lines: z.array(lineSchema),
  /** The others are about its files, and are answered together with this one. */
  name: nameQuestionSchema.nullable(),
  events: eventsQuestionSchema.nullable(),
  flags: flagsQuestionSchema.nullable(),
  /** Without any question it would go to the trash, or a copy of it: ask before. */
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
  /** What would be written. */
  z.object({ type: z.literal('delta'), delta: z.record(z.string(), z.unknown()), notes: z.array(z.string()) }),
  z.object({ type: z.literal('wrong'), text: z.string() }),
])
export type FlagsAnswer = z.infer<typeof flagsAnswerSchema>

const mark = z.string().max(200)
export const sanitizeBodySchema = z.object({
  /** What is not answered is left as it is. Without a name, so is everything else. */
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
  /** Null and absent: it is done without them. */
  flags: z.object({ line: flagsLine }).nullable().optional(),
})
export type SanitizeDecisions = z.infer<typeof sanitizeBodySchema>

export const sanitizedSchema = z.object({
  lines: z.array(lineSchema),
  verdict: verdictSchema,
  /** Under which it is found from now on, where it got another name. */
  newKey: z.string().nullable(),
})
export type Sanitized = z.infer<typeof sanitizedSchema>
