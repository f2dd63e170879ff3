// The report of a doctor run: plain data, the same on the command line, as JSON and over HTTP.
import { z } from 'zod'
import { UNLISTED_REASONS } from '../model/unlisted.ts'

/** What a finding is about. */
export const FINDING_KINDS = [
  'unlisted',
  'folder-moved',
  'folder-gone',
  'stale-entry',
  'broken-index',
  'retention',
  'two-writers',
  'shortened',
  'too-large',
  'disk-full',
  'known-bug',
  'risky-place',
] as const

const sessionSchema = z.object({
  agent: z.string(),
  sessionId: z.string(),
  filePath: z.string(),
  /** `unknown`: rethread does not know the list of this store, or the session has no conversation. */
  state: z.enum(['listed', 'unlisted', 'unknown']),
  /** The folder in which the agent lists it, or would list it; null if it is not known. */
  folder: z.string().nullable(),
  reason: z.enum(UNLISTED_REASONS).optional(),
})

const findingSchema = z.object({
  kind: z.enum(FINDING_KINDS),
  /**
   * `lost`: the agent does not show something that is on the disk. `warning`:
   * it may be lost. `notice`: no action is needed.
   */
  severity: z.enum(['lost', 'warning', 'notice']),
  /** Absent where it concerns several agents, or none. */
  agent: z.string().optional(),
  reason: z.enum(UNLISTED_REASONS).optional(),
  text: z.string(),
  evidence: z.array(z.string()),
  /** A command to paste. Absent where only a person can act; the text says how. */
  command: z.string().optional(),
  /** Whether `doctor --fix` does it. */
  isFixable: z.boolean(),
  /** How many sessions of each agent it concerns. */
  counts: z.record(z.string(), z.number().int()),
  /** Some of the sessions; `counts` has all of them. */
  sessions: z.array(z.object({ agent: z.string(), sessionId: z.string() })),
  folder: z.object({ from: z.string(), to: z.string().optional() }).optional(),
})

const failureSchema = z.object({ agent: z.string(), code: z.string(), text: z.string(), hint: z.string() })

export const doctorReportSchema = z.object({
  findings: z.array(findingSchema),
  sessions: z.array(sessionSchema),
  failures: z.array(failureSchema),
  totals: z.object({
    sessions: z.number().int(),
    listed: z.number().int(),
    lost: z.number().int(),
    unknown: z.number().int(),
  }),
})

export type DoctorReport = z.infer<typeof doctorReportSchema>
export type DoctorFinding = z.infer<typeof findingSchema>
export type ExaminedSession = z.infer<typeof sessionSchema>
export type FindingKind = DoctorFinding['kind']
