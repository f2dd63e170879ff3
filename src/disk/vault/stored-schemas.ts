// The form of stored bytes and database values.
import { z } from 'zod'

/** A file in the receipt's folder, never one outside. */
export const insideSchema = z.string().regex(/^(backup|removed|added)\/[^/\\]+$/)

export const storedBytesSchema = z.union([
  z.object({ base64: z.string() }),
  /** A range of a file in the receipt's folder. */
  z.object({ file: insideSchema, start: z.number().int(), length: z.number().int() }),
])
export type StoredBytes = z.infer<typeof storedBytesSchema>

const storedSqlValueSchema = z.union([
  z.null(),
  z.number(),
  z.string(),
  z.object({ integer: z.string() }),
  z.object({ real: z.enum(['Infinity', '-Infinity', 'NaN', '-0']) }),
  z.object({ base64: z.string() }),
])
export type StoredSqlValue = z.infer<typeof storedSqlValueSchema>

export const storedColumnsSchema = z.record(z.string(), storedSqlValueSchema)
export type StoredColumns = z.infer<typeof storedColumnsSchema>
