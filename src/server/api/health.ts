// Verdicts, plans and receipts.
import { z } from 'zod'
import { apiErrorSchema, findingSchema, loadsSchema, statusSchema } from './common.ts'

export const verdictSchema = z.object({
  status: statusSchema,
  chainDepth: z.number(),
  orphanCount: z.number(),
  messageCount: z.number(),
  fileSize: z.number(),
  loads: loadsSchema,
  /** Why the agent loads fewer messages than there are, although nothing is wrong. */
  notLoaded: z
    .array(
      z.object({
        reason: z.enum(['compaction', 'rewind', 'left-out']),
        messages: z.number(),
        at: z.string().optional(),
      }),
    )
    .optional(),
  /** Shown messages that are copies of others, which a repair removes. */
  copies: z.number().optional(),
  /** How many messages the agent would send to the model, if it merges neighbours. */
  sent: loadsSchema.optional(),
  findings: z.array(findingSchema),
  moreFindings: z.number(),
  reason: apiErrorSchema.optional(),
  refusals: z.array(z.object({ damage: z.string(), text: z.string() })),
  /** The command that repairs it, if it is not `rethread repair`. */
  mendedBy: z.string().optional(),
  /** The meaning for the user. */
  sentence: z.string(),
  /** For a damaged session: what is lost, and what a repair would do. */
  loss: z.string().optional(),
  repair: z.string().optional(),
  /** Whether a repair would change something. */
  isRepairable: z.boolean(),
  /** Problems that are not damage but can prevent a resume. */
  notes: z
    .array(z.object({ code: z.string(), text: z.string(), hint: z.string(), offers: z.array(z.string()) }))
    .optional(),
  /** A command to paste that shows all details. */
  checkCommand: z.string(),
})
export type ApiVerdict = z.infer<typeof verdictSchema>

export const editSchema = z.object({
  start: z.number(),
  end: z.number(),
  /** Base64 of the first bytes. `oldLength` and `newLength` are the full lengths. */
  old: z.string(),
  new: z.string(),
  oldLength: z.number(),
  newLength: z.number(),
  /** Base64 of a few unchanged bytes on either side. */
  before: z.string(),
  after: z.string(),
  damage: z.string(),
  reason: z.string(),
  /** More about the edit, such as where the message before it starts. */
  detail: z.string().optional(),
})
export type ApiEdit = z.infer<typeof editSchema>

export const changeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('patch'), file: z.string(), edits: z.array(editSchema), moreEdits: z.number() }),
  z.object({ type: z.literal('remove'), file: z.string(), damage: z.string(), reason: z.string() }),
  z.object({ type: z.literal('write'), file: z.string(), bytes: z.number(), damage: z.string(), reason: z.string() }),
  z.object({ type: z.literal('row'), file: z.string(), table: z.string(), damage: z.string(), reason: z.string() }),
  z.object({ type: z.literal('rebuild-database'), file: z.string(), damage: z.string(), reason: z.string() }),
])
export type ApiChange = z.infer<typeof changeSchema>

export const planSchema = z.object({
  verdict: verdictSchema,
  changes: z.array(changeSchema),
  /** The plan in words, a line for each kind of damage: "Reconnect 3 messages, each to the one before it". */
  meaning: z.array(z.object({ damage: z.string(), text: z.string(), edits: z.number() })),
})
export type ApiPlan = z.infer<typeof planSchema>

export const receiptSchema = z.object({
  id: z.string(),
  time: z.string(),
  agent: z.string(),
  sessionId: z.string(),
  /** Absent if the session no longer exists. */
  key: z.string().optional(),
  title: z.string().nullable(),
  state: z.enum(['started', 'applied', 'rolled-back', 'undone', 'failed']),
  edits: z.number(),
  damages: z.array(z.string()),
  hasBackup: z.boolean(),
  /** `restore`: a state from the archive was put back. */
  action: z.enum(['repair', 'restore']),
  /** Whether GET /api/receipts/ID/backup has the file as it was before. */
  hasCopy: z.boolean(),
  note: z.string().optional(),
})
export type ApiReceipt = z.infer<typeof receiptSchema>

export const healthSchema = z.object({
  verdict: verdictSchema,
  receipts: z.array(receiptSchema),
  /** The receipt that Undo rolls back. */
  undo: z.string().nullable(),
})
export type SessionHealth = z.infer<typeof healthSchema>

export const repairAnswerSchema = z.object({
  report: z.object({
    status: z.enum(['repaired', 'already_healthy', 'failed', 'refused']),
    receipt: z.string().optional(),
    orphansFixed: z.number(),
    newChainDepth: z.number(),
    edits: z.number(),
    error: apiErrorSchema.optional(),
  }),
  verdict: verdictSchema,
})
export type RepairAnswer = z.infer<typeof repairAnswerSchema>

export const undoAnswerSchema = z.object({ receipt: z.string(), verdict: verdictSchema, notes: z.array(z.string()) })
export type UndoAnswer = z.infer<typeof undoAnswerSchema>
