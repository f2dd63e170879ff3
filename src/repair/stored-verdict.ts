// A verdict as it is remembered: with what it was made from, and by which rules.
import { z } from 'zod'
import type { SessionRef } from '../model/session.ts'
import type { Verdict } from '../model/verdict.ts'
import type { Origin } from './origin.ts'
import { originShape } from './origin.ts'

/** Raised whenever the shape below changes. */
const SHAPE_VERSION = 1

const placeShape = z.union([
  z.object({ file: z.string(), start: z.number(), end: z.number() }),
  z.object({ file: z.string(), table: z.string(), row: z.union([z.string(), z.number()]) }),
])
const findingShape = z.object({
  damage: z.string(),
  severity: z.enum(['lost', 'updating', 'survived']),
  at: placeShape,
  text: z.string(),
  hint: z.string(),
})
/** Only verdicts that last are stored; which session it is stands in the key. */
const verdictShape = z.object({
  status: z.enum(['healthy', 'corrupted']),
  chainDepth: z.number(),
  orphanCount: z.number(),
  messageCount: z.number(),
  fileSize: z.number(),
  loads: z.object({ now: z.number(), afterRepair: z.number() }),
  findings: z.array(findingShape),
  moreFindings: z.number(),
  reason: z.object({ code: z.string(), text: z.string(), hint: z.string() }).optional(),
  refusals: z.array(z.object({ damage: z.string(), text: z.string() })),
})
const storedShape = z.object({
  shape: z.literal(SHAPE_VERSION),
  rules: z.number(),
  origin: originShape,
  verdict: verdictShape,
})

export type StoredVerdict = z.infer<typeof storedShape>

export function formatVerdict(verdict: Verdict, origin: Origin, rules: number): string {
  const { agent: _agent, sessionId: _sessionId, filePath: _filePath, ...rest } = verdict
  return JSON.stringify({ shape: SHAPE_VERSION, rules, origin, verdict: rest })
}

/** Undefined for what is damaged or was written by another version: the session is checked again, as if nothing were there. */
export function parseVerdict(text: string): StoredVerdict | undefined {
  try {
    return storedShape.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function verdictOn(session: SessionRef, stored: StoredVerdict): Verdict {
  const { agent, sessionId, filePath } = session
  return { agent, sessionId, filePath, ...stored.verdict }
}
