// Sessions: the list, and one of them.
import { z } from 'zod'
import { failureSchema, loadsSchema, MAX_PAGE, statusSchema, usageSchema, wholeNumber } from './common.ts'

export const sessionRowSchema = z.object({
  /** Names this session in every other request. */
  key: z.string(),
  agent: z.string(),
  sessionId: z.string(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  filePath: z.string(),
  updatedAt: z.string(),
  fileSize: z.number(),
  /** Null until it was read once. */
  messageCount: z.number().nullable(),
  partial: z.boolean(),
  /** Why nothing of it could be read: the code of the error. */
  failure: z.string().optional(),
  subagentOf: z.string().optional(),
  /** The id of the session whose history this one began with. */
  forkedFrom: z.string().optional(),
  /** Absent until it was checked. */
  status: statusSchema.optional(),
  loads: loadsSchema.optional(),
  findings: z.number().optional(),
  /** Absent where the records tell of none, and until it was read once. */
  usage: usageSchema.optional(),
  /** A terminal of ours runs it. */
  terminalId: z.string().optional(),
})
export type SessionRow = z.infer<typeof sessionRowSchema>

export const progressSchema = z.object({
  /** What is under way, in the order in which it happens. */
  phase: z.enum(['finding', 'reading', 'checking', 'done']),
  done: z.number(),
  total: z.number(),
  bytesDone: z.number(),
  bytesTotal: z.number(),
})
export type Progress = z.infer<typeof progressSchema>

export const countsSchema = z.object({
  sessions: z.number(),
  /** Damaged, and a repair brings something back. */
  needRepair: z.number(),
  /** Of these, how many only a person can decide about: POST /api/repair-all leaves them out. */
  needDecision: z.number(),
  byStatus: z.partialRecord(z.union([statusSchema, z.literal('unchecked')]), z.number()),
  byAgent: z.record(z.string(), z.number()),
})
export type Counts = z.infer<typeof countsSchema>

export const sessionsQuerySchema = z.object({
  text: z.string().max(200).optional(),
  /** Several are separated by commas. */
  agent: z.string().optional(),
  /** Several are separated by commas; `unchecked` and `need-repair` are understood as well. */
  status: z.string().optional(),
  project: z.string().optional(),
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
  subagents: z.enum(['yes', 'no']).optional(),
  /** Sessions of one group stand together; inside, they are sorted. */
  group: z.enum(['day', 'project', 'agent']).optional(),
  sort: z.enum(['updated', 'size', 'messages', 'title']).optional(),
  order: z.enum(['down', 'up']).optional(),
  cursor: z.string().max(500).optional(),
  limit: wholeNumber(1, MAX_PAGE).optional(),
})
export type SessionsQuery = z.infer<typeof sessionsQuerySchema>

export const sessionsPageSchema = z.object({
  sessions: z.array(sessionRowSchema),
  /** How many the filter lets through, on all pages. */
  total: z.number(),
  nextCursor: z.string().nullable(),
  /** Of the whole library, whatever the filter. */
  counts: countsSchema,
  failures: z.array(failureSchema),
  progress: progressSchema,
  /** Grows whenever a session comes, goes or changes. */
  revision: z.number(),
})
export type SessionsPage = z.infer<typeof sessionsPageSchema>

export const resumeSchema = z.union([
  z.object({ type: z.literal('command'), line: z.string(), folder: z.string().nullable() }),
  z.object({ type: z.literal('unsupported'), reason: z.string() }),
])

const relativeSchema = z.object({ key: z.string(), sessionId: z.string(), title: z.string().nullable() })

export const sessionDetailSchema = sessionRowSchema.extend({
  agentTitle: z.string(),
  /** It can be gone on with here: its id as a conversation. */
  conversation: z.string().optional(),
  resume: resumeSchema,
  /** The id for a shell: as it is, unless it is one that has to be quoted. */
  quotedId: z.string(),
  /** A folder of files, where a person may have to decide what is done: GET /api/sessions/KEY/sanitize */
  isSanitized: z.boolean(),
  /** Sub-agents of this session, and the session this one is a sub-agent of. */
  subagents: z.array(relativeSchema),
  parent: relativeSchema.nullable(),
  /** The session this one was forked from; null where it was not, or where that one is gone. */
  origin: relativeSchema.nullable(),
})
export type SessionDetail = z.infer<typeof sessionDetailSchema>
