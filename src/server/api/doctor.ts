// Conversations that are on the disk and missing from the list of their agent, and projects that moved.
import { z } from 'zod'
import { doctorReportSchema } from '../../doctor/report.ts'
import { apiErrorSchema } from './common.ts'

const { findings, totals, failures } = doctorReportSchema.shape

export const missingSchema = z.object({
  /** Absent while the list of the page does not have it. */
  key: z.string().optional(),
  agent: z.string(),
  sessionId: z.string(),
  title: z.string().nullable(),
  /** The folder in which its agent would list it. */
  folder: z.string().nullable(),
  reason: z.string(),
  text: z.string(),
  /** Whether rethread can make the agent list it. */
  isFixable: z.boolean(),
})
export type MissingSession = z.infer<typeof missingSchema>

export const movedSchema = z.object({
  /** A client names a move by it and sends no path. */
  id: z.string(),
  from: z.string(),
  to: z.string(),
  /** How many conversations of each agent. */
  counts: z.record(z.string(), z.number().int()),
  evidence: z.array(z.string()),
})
export type MovedFolder = z.infer<typeof movedSchema>

export const doctorSchema = z.object({
  findings,
  totals,
  failures,
  /** Conversations of moved folders are not among them. */
  missing: z.array(missingSchema),
  moved: z.array(movedSchema),
})
export type DoctorAnswer = z.infer<typeof doctorSchema>

export const plannedMoveSchema = z.object({
  from: z.string(),
  to: z.string(),
  agents: z.array(
    z.object({
      agent: z.string(),
      sessions: z.number().int(),
      files: z.array(z.string()),
      moreFiles: z.number().int(),
      /** Some files are changed only if no process of the agent runs. */
      needsClosed: z.boolean(),
      notes: z.array(z.string()),
    }),
  ),
})
export type PlannedMove = z.infer<typeof plannedMoveSchema>

export const fixResultsSchema = z.object({
  results: z.array(
    z.object({
      agent: z.string(),
      text: z.string(),
      sessions: z.number().int(),
      receipt: z.string().optional(),
      notes: z.array(z.string()),
      error: apiErrorSchema.optional(),
    }),
  ),
})
export type FixResults = z.infer<typeof fixResultsSchema>
