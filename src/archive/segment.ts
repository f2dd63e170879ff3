// The bytes of a segment: a hash of the header, the header as one line of JSON, then compressed pieces.
import { z } from 'zod'
import { sha256Of } from './compress.ts'

const count = z.number().int().nonnegative()
const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** A compressed piece of content, at this place among the pieces of the segment. */
const pieceSchema = z.object({ at: count, stored: count, raw: count, sha256: hash, dictionary: count.optional() })

const logSchema = z.object({
  type: z.literal('log'),
  item: count,
  /** Counts up each time the file was shortened or rewritten. */
  generation: count,
  /** The first bytes of a new generation that an older one holds. */
  inherits: z.object({ generation: count, end: count }).optional(),
  start: count,
  end: count,
  pieces: z.array(pieceSchema),
  /** The first bytes of the file, by which a rewritten one is noticed. */
  head: z.object({ bytes: count, sha256: hash }),
  /** The bytes before `end`. */
  window: z.object({ bytes: count, sha256: hash }),
  /** The bytes after the last newline, in a file that was not written to for a while. */
  tail: z.array(pieceSchema).optional(),
})

const versionSchema = z.object({
  type: z.literal('version'),
  item: count,
  version: count,
  /** The version against which this one is stored. */
  base: count.optional(),
  size: count,
  sha256: hash,
  pieces: z.array(pieceSchema),
})

const changeSchema = z.discriminatedUnion('type', [
  logSchema,
  versionSchema,
  z.object({ type: z.literal('gone'), item: count }),
  /** Content that was damaged in the archive and is lost. */
  z.object({
    type: z.literal('lost'),
    item: count,
    generation: count.optional(),
    start: count.optional(),
    end: count.optional(),
  }),
])

export const WHY = ['first', 'grew', 'changed', 'shrank', 'rewritten', 'deleted', 'returned', 'damaged'] as const

const pointSchema = z.object({
  number: count,
  /** Milliseconds since 1970, never before the point before. */
  time: z.number(),
  /** What the clock said, where it was set back. */
  clock: z.number().optional(),
  why: z.enum(WHY),
  /** The copy continues in the next segment: not a restore point. */
  isUnfinished: z.literal(true).optional(),
  /** Messages before and after, where content was lost. */
  messages: z.object({ before: count, after: count }).optional(),
  /** For a deletion: the agent itself deletes sessions of this age. */
  isByAgent: z.literal(true).optional(),
  changes: z.array(changeSchema),
})

const itemSchema = z.object({
  /** Below the home with `~/` at its start. */
  path: z.string().min(1).max(4096),
  kind: z.enum(['log', 'document', 'rows']),
  /** The session itself, or a file that belongs to it. */
  role: z.enum(['main', 'side', 'shared']),
  mode: count.optional(),
})

const sessionSchema = z.object({
  agent: z.string().max(100),
  sessionId: z.string().max(4096),
  generation: z.string().max(100),
  filePath: z.string().max(4096),
  storeRoot: z.string().max(4096),
  subagentOf: z.string().max(4096).optional(),
  title: z.string().max(4096).optional(),
  project: z.string().max(4096).optional(),
  updatedAt: z.number(),
})

export const headerSchema = z.object({
  format: z.literal('rethread-segment'),
  version: z.literal(1),
  chain: z.string().regex(/^[0-9a-f]{32}$/),
  sequence: count,
  /** The hash of the segment before; null for the first. */
  previous: hash.nullable(),
  /** Segments whose content this one holds. */
  replaces: z.array(hash).optional(),
  /** The hashes by which a later segment may name this one: that of the last segment that it replaces. */
  standsFor: z.array(hash).optional(),
  session: sessionSchema,
  items: z.array(itemSchema),
  points: z.array(pointSchema).min(1),
})

export type SegmentHeader = z.infer<typeof headerSchema>
export type ArchivedSession = z.infer<typeof sessionSchema>
export type ArchivedItem = z.infer<typeof itemSchema>
export type Point = z.infer<typeof pointSchema>
export type ItemChange = z.infer<typeof changeSchema>
export type ArchivedLogChange = z.infer<typeof logSchema>
export type VersionChange = z.infer<typeof versionSchema>
export type Piece = z.infer<typeof pieceSchema>
export type PointReason = (typeof WHY)[number]

const HASH_DIGITS = 64
const NEWLINE = 0x0a

export function encodeSegment(header: SegmentHeader, pieces: readonly Buffer[]): Buffer {
  const line = Buffer.from(JSON.stringify(header))
  return Buffer.concat([Buffer.from(`${sha256Of(line)}\n`), line, Buffer.from('\n'), ...pieces])
}

export interface ParsedHeader {
  header: SegmentHeader
  /** Where the pieces begin. */
  payload: number
}

/** `more` where the header is longer than the given bytes; undefined where it is damaged. */
export function parseHeader(bytes: Buffer): ParsedHeader | 'more' | undefined {
  const end = bytes.indexOf(NEWLINE, HASH_DIGITS + 1)
  if (bytes.length > HASH_DIGITS && bytes[HASH_DIGITS] !== NEWLINE) return undefined
  if (end === -1) return 'more'
  const line = bytes.subarray(HASH_DIGITS + 1, end)
  if (bytes.toString('latin1', 0, HASH_DIGITS) !== sha256Of(line)) return undefined
  try {
    const parsed = headerSchema.safeParse(JSON.parse(line.toString('utf8')))
    return parsed.success ? { header: parsed.data, payload: end + 1 } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
