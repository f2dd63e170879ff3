// Shapes that many answers share. A client names sessions by a key and never sends a file path.
import { z } from 'zod'

/** The most sessions in one page. */
export const MAX_PAGE = 500
export const MAX_MESSAGE_PAGE = 200
/** Longer texts are cut in a page of messages. GET `messages/INDEX` has the whole text. */
export const MAX_PART_CHARS = 20_000
/** The most raw bytes in one answer. */
export const MAX_BYTES_SHOWN = 64 * 1024

/** A whole number in a URL. */
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

/**
 * `input` counts tokens sent without the cache, `output` everything that the model wrote. `costs` are by
 * currency, and only those in the records.
 */
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
  /** Ids and places for a closer look. */
  detail: z.string().optional(),
  /** Cause, effect and repair. */
  why: z.string().optional(),
  /** The message in or before which the page shows the finding, if the reading knows it. */
  message: z.number().optional(),
  /** What it means for a resume, in a word or two. Only for findings of a check. */
  meaning: z.string().optional(),
})
export type ApiFinding = z.infer<typeof findingSchema>
