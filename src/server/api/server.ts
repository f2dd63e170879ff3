// Agents, all sessions as a whole, and the server itself.
import { z } from 'zod'
import { usageSchema } from './common.ts'
import { receiptSchema } from './health.ts'
import { countsSchema, progressSchema, sessionRowSchema } from './sessions.ts'

export const retentionSchema = z.object({
  days: z.number(),
  /** The settings file, and the setting that keeps everything. */
  file: z.string(),
  setting: z.string(),
  isDefault: z.boolean(),
})

export const agentSchema = z.object({
  id: z.string(),
  title: z.string(),
  found: z.boolean(),
  sessions: z.number(),
  subagents: z.number(),
  stores: z.array(z.object({ path: z.string(), kind: z.string(), found: z.boolean(), sessions: z.number() })),
  retention: retentionSchema.nullable(),
  canResume: z.boolean(),
})
export type ApiAgent = z.infer<typeof agentSchema>

export const overviewSchema = z.object({
  counts: countsSchema,
  bytes: z.number(),
  /** Only days with conversations, ascending; `day` is YYYY-MM-DD in the server's time zone. */
  days: z.array(z.object({ day: z.string(), byAgent: z.record(z.string(), z.number()) })),
  /** Tokens and cost in the records, by agent and month ("2026-11"), the newest month first. */
  usage: z.array(z.object({ month: z.string(), agent: z.string(), usage: usageSchema })),
  largest: z.array(sessionRowSchema),
  /** Soonest first. `isArchived`: the archive has the session as it is now. */
  expiring: z.array(z.object({ session: sessionRowSchema, deletedAt: z.string(), isArchived: z.boolean() })),
  /** How many sessions beyond the listed ones will be deleted within 7 days. */
  moreExpiring: z.number(),
  repairs: z.array(receiptSchema),
})
export type Overview = z.infer<typeof overviewSchema>

export const serverInfoSchema = z.object({
  name: z.literal('rethread'),
  version: z.string(),
  protocol: z.number(),
  /** The server runs the demo. It does not touch the user's files. */
  isDemo: z.boolean(),
  home: z.string(),
  uptimeSeconds: z.number(),
  state: z.enum(['running', 'stopping']),
  progress: progressSchema,
  counts: countsSchema,
})
export type ServerInfo = z.infer<typeof serverInfoSchema>
