// The archive: restore points of a session, the difference between two of them, restores, and the status.
import { z } from 'zod'
import { failureSchema, MAX_PAGE, wholeNumber } from './common.ts'
import { verdictSchema } from './health.ts'

/** The agent no longer has the session. Null where the time of deletion is unknown. */
export const archivedSchema = z.object({ deletedAt: z.string().nullable(), isByAgent: z.boolean() })
export type ApiArchived = z.infer<typeof archivedSchema>

export const versionSchema = z.object({
  number: z.number(),
  time: z.string(),
  why: z.enum(['first', 'grew', 'changed', 'shrank', 'rewritten', 'deleted', 'returned', 'damaged']),
  /** Null where the session did not exist, and where they were not counted. */
  messages: z.number().nullable(),
  bytes: z.number(),
  /** False at the point of a deletion. */
  exists: z.boolean(),
  /** Messages before and after, where content was lost. */
  lost: z.object({ before: z.number(), after: z.number() }).optional(),
  isByAgent: z.literal(true).optional(),
  /** Where the session was, if it was archived at another path or imported beside what was there. */
  filePath: z.string().optional(),
})
export type ApiVersion = z.infer<typeof versionSchema>

export const versionsQuerySchema = z.object({
  limit: wholeNumber(1, MAX_PAGE).optional(),
  /** `no`: messages are not counted, except where that is known already. */
  counts: z.enum(['yes', 'no']).optional(),
})

export const versionsSchema = z.object({
  /** False where nothing of the session is in the archive. Then there are no restore points. */
  isArchived: z.boolean(),
  /** Newest first. */
  versions: z.array(versionSchema),
  /** Earlier ones that are not listed. */
  more: z.number(),
  /** Whether it can be restored with a new id. */
  canBeNew: z.boolean(),
})
export type ApiVersions = z.infer<typeof versionsSchema>

export const differenceQuerySchema = z.object({ from: wholeNumber(0), to: wholeNumber(0) })

const stateSchema = z.object({ number: z.number(), time: z.string(), messages: z.number(), bytes: z.number() })

export const messageChangeSchema = z.object({
  change: z.enum(['came', 'went', 'changed']),
  /** Its position in the later state; for one that went, in the earlier. */
  index: z.number(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  time: z.string().nullable(),
  /** How it begins, and all characters of it. */
  text: z.string(),
  chars: z.number(),
  before: z.object({ text: z.string(), chars: z.number() }).optional(),
})
export type ApiMessageChange = z.infer<typeof messageChangeSchema>

export const differenceSchema = z.object({
  from: stateSchema,
  to: stateSchema,
  came: z.number(),
  went: z.number(),
  changed: z.number(),
  messages: z.array(messageChangeSchema),
  /** Changes that are not listed. */
  more: z.number(),
})
export type ApiDifference = z.infer<typeof differenceSchema>

export const restoreBodySchema = z.object({
  /** The number of a restore point. Without it and `at`: the last state of a deleted session. */
  version: z.number().int().nonnegative().optional(),
  /** The last restore point that is not later. */
  at: z.iso.datetime({ offset: true }).optional(),
  /** With a new id, beside what is there now. */
  asNew: z.boolean().optional(),
  /** Even if it was written less than ten seconds ago. */
  force: z.boolean().optional(),
})
export type RestoreBody = z.infer<typeof restoreBodySchema>

export const restoredSchema = z.object({
  /** The restored session. With `asNew`, another one than before. */
  key: z.string(),
  sessionId: z.string(),
  filePath: z.string(),
  /** The restore point. */
  time: z.string(),
  files: z.number(),
  rows: z.number(),
  /** A part of it was damaged in the archive and is missing. */
  isIncomplete: z.boolean(),
  /** Null where everything was there already. */
  receipt: z.string().nullable(),
  verdict: verdictSchema,
})
export type ApiRestored = z.infer<typeof restoredSchema>

export const noticeSchema = z.object({
  kind: z.enum(['shortened', 'purged', 'stopped', 'quota', 'unreadable', 'damaged']),
  text: z.string(),
  hint: z.string(),
  agent: z.string().optional(),
  sessionId: z.string().optional(),
  /** When it happened. Only such notices can be marked as seen; the others last as long as their cause. */
  time: z.string().optional(),
  /** The session, if it is listed. */
  key: z.string().optional(),
})
export type ApiNotice = z.infer<typeof noticeSchema>

export const archiveStatusSchema = z.object({
  folder: z.string(),
  agents: z.array(
    z.object({
      agent: z.string(),
      title: z.string(),
      sessions: z.number(),
      current: z.number(),
      deleted: z.number(),
      behind: z.object({ sessions: z.number(), bytes: z.number(), since: z.string().nullable() }),
      unsupported: z.number(),
      storedBytes: z.number(),
    }),
  ),
  totals: z.object({
    sessions: z.number(),
    current: z.number(),
    deleted: z.number(),
    storedBytes: z.number(),
    segments: z.number(),
    maxBytes: z.number().nullable(),
  }),
  lastPass: z.string().nullable(),
  notices: z.array(noticeSchema),
  failures: z.array(failureSchema),
})
export type ApiArchiveStatus = z.infer<typeof archiveStatusSchema>

export const seenBodySchema = z.object({
  /** Default: now. */
  until: z.iso.datetime({ offset: true }).optional(),
})
