// Requests to a person: permissions and questions.
import { z } from 'zod'

export const permissionReplySchema = z.enum(['once', 'always', 'reject'])
export type PermissionReply = z.infer<typeof permissionReplySchema>

export const permissionRequestSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  /** The kind of action. */
  permission: z.string(),
  patterns: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  always: z.array(z.string()),
  tool: z.object({ messageID: z.string(), callID: z.string() }).optional(),
})
export type PermissionRequest = z.infer<typeof permissionRequestSchema>

export const questionInfoSchema = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  multiple: z.boolean(),
  /** Whether a free text is allowed. */
  custom: z.boolean(),
})
export type QuestionInfo = z.infer<typeof questionInfoSchema>

export const questionRequestSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  questions: z.array(questionInfoSchema),
  tool: z.object({ messageID: z.string(), callID: z.string() }).optional(),
})
export type QuestionRequest = z.infer<typeof questionRequestSchema>

/** One list for each question: the chosen labels, or the person's own words. */
export const questionAnswersSchema = z.array(z.array(z.string()))
export type QuestionAnswers = z.infer<typeof questionAnswersSchema>
