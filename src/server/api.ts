// The shapes of the HTTP API, for whoever asks and whoever answers. No path of a file ever comes from a client: sessions are named by a key.
import { z } from 'zod'

/** Beyond this many a page is not served; ask for the next one. */
export const MAX_PAGE = 500
export const MAX_MESSAGE_PAGE = 200
/** A text longer than this is cut in a page of messages; the whole of it is one request away. */
export const MAX_PART_CHARS = 20_000
/** Of raw bytes, in one answer. */
export const MAX_BYTES_SHOWN = 64 * 1024

export const statusSchema = z.enum([
  'healthy',
  'corrupted',
  'repairing',
  'repaired',
  'busy',
  'missing',
  'unreadable',
  'unrecoverable',
])
export type SessionStatus = z.infer<typeof statusSchema>

export const apiErrorSchema = z.object({ code: z.string(), text: z.string(), hint: z.string() })
export type ApiError = z.infer<typeof apiErrorSchema>

export const failureSchema = apiErrorSchema.extend({ agent: z.string(), path: z.string() })

export const loadsSchema = z.object({ now: z.number(), afterRepair: z.number() })

const filePlaceSchema = z.object({ file: z.string(), start: z.number(), end: z.number() })
const rowPlaceSchema = z.object({ file: z.string(), table: z.string(), row: z.union([z.string(), z.number()]) })
export const placeSchema = z.union([filePlaceSchema, rowPlaceSchema])

export const findingSchema = z.object({
  damage: z.string(),
  severity: z.enum(['lost', 'updating', 'survived']),
  at: placeSchema,
  text: z.string(),
  hint: z.string(),
  /** The message it stands before or in, where the reading knows it: the place of the marker in the conversation. */
  message: z.number().optional(),
})
export type ApiFinding = z.infer<typeof findingSchema>

/* ---- sessions ---- */

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
  subagentOf: z.string().optional(),
  /** Absent until it was checked. */
  status: statusSchema.optional(),
  loads: loadsSchema.optional(),
  findings: z.number().optional(),
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
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).optional(),
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

export const sessionDetailSchema = sessionRowSchema.extend({
  agentTitle: z.string(),
  resume: resumeSchema,
  /** Sub-agents of this session, and the session this one is a sub-agent of. */
  subagents: z.array(z.object({ key: z.string(), sessionId: z.string(), title: z.string().nullable() })),
  parent: z.object({ key: z.string(), sessionId: z.string(), title: z.string().nullable() }).nullable(),
})
export type SessionDetail = z.infer<typeof sessionDetailSchema>

/* ---- messages ---- */

/** How much was cut off; the whole stands at `messages/INDEX`. */
const cut = { cutChars: z.number().optional() }
export const partSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), ...cut }),
  z.object({ type: z.literal('thinking'), text: z.string(), ...cut }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), input: z.unknown(), ...cut }),
  z.object({ type: z.literal('tool-result'), id: z.string(), output: z.string(), isError: z.boolean(), ...cut }),
  z.object({
    type: z.literal('file'),
    name: z.string().nullable(),
    mime: z.string().nullable(),
    source: z.enum(['inline', 'path', 'url']),
    reference: z.string().nullable(),
  }),
  z.object({ type: z.literal('notice'), text: z.string(), ...cut }),
  z.object({ type: z.literal('unknown'), recordType: z.string(), value: z.unknown(), ...cut }),
])
export type ApiPart = z.infer<typeof partSchema>

export const messageSchema = z.object({
  /** Its place in the conversation, from 0. */
  index: z.number(),
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  time: z.string().nullable(),
  parts: z.array(partSchema),
  at: placeSchema,
  model: z.string().optional(),
})
export type ApiMessage = z.infer<typeof messageSchema>

export const messagesQuerySchema = z.object({
  /** The first wanted; negative counts from the end. Without it, the last page. */
  from: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(MAX_MESSAGE_PAGE).optional(),
  /** In place of `from`: the page around the record at this byte of the session's file. */
  around: z.coerce.number().int().min(0).optional(),
  branch: z.string().max(200).optional(),
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
  /** So many so far; more while `isComplete` is false. */
  total: z.number(),
  /** The reading has come to the end of the file as it was then. */
  isComplete: z.boolean(),
  /** Another number once the messages were read anew, so that an index means something else. */
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

/** Bytes around a place, for the view of the bytes. */
export const bytesSchema = z.object({
  file: z.string(),
  start: z.number(),
  end: z.number(),
  fileSize: z.number(),
  base64: z.string(),
})
export type ApiBytes = z.infer<typeof bytesSchema>

/* ---- health ---- */

export const verdictSchema = z.object({
  status: statusSchema,
  chainDepth: z.number(),
  orphanCount: z.number(),
  messageCount: z.number(),
  fileSize: z.number(),
  loads: loadsSchema,
  findings: z.array(findingSchema),
  moreFindings: z.number(),
  reason: apiErrorSchema.optional(),
  refusals: z.array(z.object({ damage: z.string(), text: z.string() })),
  /** For a person: "Claude Code would load 3 of 25 messages. After repair: 25." */
  sentence: z.string(),
})
export type ApiVerdict = z.infer<typeof verdictSchema>

const editSchema = z.object({
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
  /** What it comes to, a line per kind of damage: "3 parents set to the record before them". */
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

/* ---- agents, overview, server ---- */

export const retentionSchema = z.object({
  days: z.number(),
  /** The file of the setting, and what to write into it to keep everything. */
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
  largest: z.array(sessionRowSchema),
  /** Soonest first. */
  expiring: z.array(z.object({ session: sessionRowSchema, deletedAt: z.string() })),
  /** How many more will be deleted within 7 days than are listed. */
  moreExpiring: z.number(),
  repairs: z.array(receiptSchema),
})
export type Overview = z.infer<typeof overviewSchema>

export const serverInfoSchema = z.object({
  name: z.literal('rethread'),
  version: z.string(),
  protocol: z.number(),
  /** A demo: nothing of the person's is touched. */
  isDemo: z.boolean(),
  home: z.string(),
  uptimeSeconds: z.number(),
  state: z.enum(['running', 'stopping']),
  progress: progressSchema,
  counts: countsSchema,
})
export type ServerInfo = z.infer<typeof serverInfoSchema>
