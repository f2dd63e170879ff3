// What all answers share. No path of a file ever comes from a client: sessions are named by a key.
import { z } from 'zod'

/** Beyond this many a page is not served; ask for the next one. */
export const MAX_PAGE = 500
export const MAX_MESSAGE_PAGE = 200
/** A text longer than this is cut in a page of messages; the whole of it is one request away. */
export const MAX_PART_CHARS = 20_000
/** Of raw bytes, in one answer. */
export const MAX_BYTES_SHOWN = 64 * 1024

/** A whole number in an address. */
export function wholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^-?\d{1,16}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
    .meta({ type: 'integer', minimum, maximum })
}

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

/** `input` is what was sent again, `output` everything the model wrote; `costs` are by currency, and only those that the records name. */
export const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  costs: z.record(z.string(), z.number()),
})
export type ApiUsage = z.infer<typeof usageSchema>

const filePlaceSchema = z.object({ file: z.string(), start: z.number(), end: z.number() })
const rowPlaceSchema = z.object({ file: z.string(), table: z.string(), row: z.union([z.string(), z.number()]) })
export const placeSchema = z.union([filePlaceSchema, rowPlaceSchema])

export const findingSchema = z.object({
  damage: z.string(),
  severity: z.enum(['lost', 'updating', 'survived']),
  at: placeSchema,
  text: z.string(),
  hint: z.string(),
  /** Ids and places that a person needs only when looking closer. */
  detail: z.string().optional(),
  /** Cause, effect and cure. */
  why: z.string().optional(),
  /** The message it stands before or in, where the reading knows it: the place of the marker in the conversation. */
  message: z.number().optional(),
  /** What it means for a resume, in a word or two; where a check found it. */
  meaning: z.string().optional(),
})
export type ApiFinding = z.infer<typeof findingSchema>
