// Verdicts, plans, receipts.
import { z } from 'zod'
import { apiErrorSchema, findingSchema, loadsSchema, statusSchema } from './common.ts'

export const verdictSchema = z.object({
  status: statusSchema,
  chainDepth: z.number(),
  orphanCount: z.number(),
  messageCount: z.number(),
  fileSize: z.number(),
  loads: loadsSchema,
  /** Why fewer messages load than there are, where that is as it should be. */
  notLoaded: z
    .array(
      z.object({
        reason: z.enum(['compaction', 'rewind', 'left-out']),
        messages: z.number(),
        at: z.string().optional(),
      }),
    )
    .optional(),
  /** How many messages the agent would send to the model, where it joins neighbours. */
  sent: loadsSchema.optional(),
  findings: z.array(findingSchema),
  moreFindings: z.number(),
  reason: apiErrorSchema.optional(),
  refusals: z.array(z.object({ damage: z.string(), text: z.string() })),
  /** The command that repairs it, where that is not the one for all. */
  mendedBy: z.string().optional(),
  /** What it means, for a person. */
  sentence: z.string(),
  /** What is lost, and what a repair would do, of a damaged session. */
  loss: z.string().optional(),
  repair: z.string().optional(),
  /** A repair would change something. */
  isRepairable: z.boolean(),
  /** What is not damage of the session and yet stands in the way of a resume. */
  notes: z
    .array(z.object({ code: z.string(), text: z.string(), hint: z.string(), offers: z.array(z.string()) }))
    .optional(),
  /** For pasting: shows everything there is to say of it. */
  checkCommand: z.string(),
})
export type ApiVerdict = z.infer<typeof verdictSchema>

export const editSchema = z.object({
  start: z.number(),
  end: z.number(),
  /** Base64, cut to the first bytes where it is long; `oldLength` and `newLength` are whole. */
  old: z.string(),
  new: z.string(),
  oldLength: z.number(),
  newLength: z.number(),
  /** Base64 of a few unchanged bytes on both sides. */
  before: z.string(),
  after: z.string(),
  damage: z.string(),
  reason: z.string(),
  /** What else is known of it, such as where the message before it begins. */
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
  /** What it comes to, a line per kind of damage: "Reconnect 3 messages, each to the one before it". */
  meaning: z.array(z.object({ damage: z.string(), text: z.string(), edits: z.number() })),
})
export type ApiPlan = z.infer<typeof planSchema>

export const receiptSchema = z.object({
  id: z.string(),
  time: z.string(),
  agent: z.string(),
  sessionId: z.string(),
  /** Absent where the session is gone. */
  key: z.string().optional(),
  title: z.string().nullable(),
  state: z.enum(['started', 'applied', 'rolled-back', 'undone', 'failed']),
  edits: z.number(),
  damages: z.array(z.string()),
  hasBackup: z.boolean(),
  note: z.string().optional(),
})
export type ApiReceipt = z.infer<typeof receiptSchema>

export const healthSchema = z.object({
  verdict: verdictSchema,
  receipts: z.array(receiptSchema),
  /** The one that Undo takes back. */
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
