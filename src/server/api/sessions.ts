// The list of sessions, and one session.
import { z } from 'zod'
import { MAX_TAGS } from '../../model/label.ts'
import { archivedSchema } from './archive.ts'
import { failureSchema, loadsSchema, MAX_PAGE, statusSchema, usageSchema, wholeNumber } from './common.ts'

export const sessionRowSchema = z.object({
  /** Identifies this session in every other request. */
  key: z.string(),
  agent: z.string(),
  sessionId: z.string(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  filePath: z.string(),
  updatedAt: z.string(),
  fileSize: z.number(),
  /** Null until the session has been read once. */
  messageCount: z.number().nullable(),
  partial: z.boolean(),
  /** The error code, if nothing could be read. */
  failure: z.string().optional(),
  subagentOf: z.string().optional(),
  /** The id of the session that this one was forked from. */
  forkedFrom: z.string().optional(),
  /** Absent until the session has been checked. */
  status: statusSchema.optional(),
  loads: loadsSchema.optional(),
  findings: z.number().optional(),
  /** Absent if the records contain none, and until the session has been read once. */
  usage: usageSchema.optional(),
  /** The agent no longer has the session. It is read from the archive. */
  archived: archivedSchema.optional(),
  /** The terminal of this server that runs the session. */
  terminalId: z.string().optional(),
  /** The agent's title, of a session that a person has named. */
  originalTitle: z.string().nullable().optional(),
  pinned: z.literal(true).optional(),
  hidden: z.literal(true).optional(),
  tags: z.array(z.string()).optional(),
})
export type SessionRow = z.infer<typeof sessionRowSchema>

export const progressSchema = z.object({
  /** The phases in their order. */
  phase: z.enum(['finding', 'reading', 'checking', 'done']),
  done: z.number(),
  total: z.number(),
  bytesDone: z.number(),
  bytesTotal: z.number(),
})
export type Progress = z.infer<typeof progressSchema>

export const countsSchema = z.object({
  sessions: z.number(),
  /** Damaged sessions that a repair would change. */
  needRepair: z.number(),
  /** How many of these need a decision of the user. POST /api/repair-all skips them. */
  needDecision: z.number(),
  /** Sessions that only the archive has. */
  archived: z.number(),
  byStatus: z.partialRecord(z.union([statusSchema, z.literal('unchecked')]), z.number()),
  byAgent: z.record(z.string(), z.number()),
  pinned: z.number(),
  /** Not in any of the other figures. */
  hidden: z.number(),
  byTag: z.record(z.string(), z.number()),
})
export type Counts = z.infer<typeof countsSchema>

export const sessionsQuerySchema = z.object({
  text: z.string().max(200).optional(),
  /** Several are separated by commas. */
  agent: z.string().optional(),
  /** Several are separated by commas. `unchecked` and `need-repair` are accepted as well. */
  status: z.string().optional(),
  project: z.string().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  subagents: z.enum(['yes', 'no']).optional(),
  /** `yes`: only sessions that their agent no longer has. */
  archived: z.enum(['yes', 'no']).optional(),
  pinned: z.literal('yes').optional(),
  tag: z.string().max(200).optional(),
  /** Only hidden sessions, which are left out otherwise. */
  hidden: z.literal('yes').optional(),
  /** Sessions are sorted within their group. */
  group: z.enum(['day', 'project', 'agent']).optional(),
  sort: z.enum(['updated', 'size', 'messages', 'title']).optional(),
  order: z.enum(['down', 'up']).optional(),
  cursor: z.string().max(500).optional(),
  limit: wholeNumber(1, MAX_PAGE).optional(),
})
export type SessionsQuery = z.infer<typeof sessionsQuerySchema>

export const sessionsPageSchema = z.object({
  sessions: z.array(sessionRowSchema),
  /** How many sessions match the filter, on all pages. */
  total: z.number(),
  nextCursor: z.string().nullable(),
  /** Of all sessions, independent of the filter. */
  counts: countsSchema,
  failures: z.array(failureSchema),
  progress: progressSchema,
  /** Grows whenever a session is added, removed or changed. */
  revision: z.number(),
})
export type SessionsPage = z.infer<typeof sessionsPageSchema>

const VISIBLE = 'needs at least one visible character'

/** Absent fields stay as they are. */
export const labelChangeSchema = z.object({
  /** Null removes the name. */
  name: z.string().min(1, VISIBLE).max(4000).nullable().optional(),
  pinned: z.boolean().optional(),
  hidden: z.boolean().optional(),
  /** Replaces all tags. */
  tags: z.array(z.string().min(1, VISIBLE).max(200)).max(MAX_TAGS, `may be at most ${MAX_TAGS}`).optional(),
})
export type LabelRequest = z.infer<typeof labelChangeSchema>

export const resumeSchema = z.union([
  z.object({ type: z.literal('command'), line: z.string(), folder: z.string().nullable() }),
  z.object({ type: z.literal('unsupported'), reason: z.string() }),
])

const relativeSchema = z.object({ key: z.string(), sessionId: z.string(), title: z.string().nullable() })

export const sessionDetailSchema = sessionRowSchema.extend({
  agentTitle: z.string(),
  /** Its id as a conversation, if it can be resumed in the page. */
  conversation: z.string().optional(),
  resume: resumeSchema,
  /** The session id, quoted for a shell if necessary. */
  quotedId: z.string(),
  /** The session is a folder of files and may need decisions: GET /api/sessions/KEY/sanitize */
  isSanitized: z.boolean(),
  /** The subagents of this session, and its parent if it is a subagent. */
  subagents: z.array(relativeSchema),
  parent: relativeSchema.nullable(),
  /** The session this one was forked from; null if there is none or it no longer exists. */
  origin: relativeSchema.nullable(),
})
export type SessionDetail = z.infer<typeof sessionDetailSchema>
