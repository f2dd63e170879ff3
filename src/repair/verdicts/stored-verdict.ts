// A verdict as it is cached: with its origin and the version of the rules.
import { seal, unseal } from '../../disk/state/checksums.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Origin } from './origin.ts'

/** Raise it whenever the shape below changes. */
const SHAPE_VERSION = 1

export interface StoredVerdict {
  shape: typeof SHAPE_VERSION
  rules: string
  origin: Origin
  /** The cache key identifies the session. */
  verdict: Omit<Verdict, 'agent' | 'sessionId' | 'filePath'>
}

export function formatVerdict(verdict: Verdict, origin: Origin, rules: string): string {
  const { agent: _agent, sessionId: _sessionId, filePath: _filePath, ...rest } = verdict
  const stored: StoredVerdict = { shape: SHAPE_VERSION, rules, origin, verdict: rest }
  return seal(stored)
}

/** Returns undefined for a damaged entry or one of another version. The session is then checked again. */
export function parseVerdict(text: string): StoredVerdict | undefined {
  const stored = unseal(text)
  return hasThisShape(stored) ? stored : undefined
}

/** A sealed entry was made by `formatVerdict`; its number states which version. */
function hasThisShape(stored: unknown): stored is StoredVerdict {
  return typeof stored === 'object' && stored !== null && 'shape' in stored && stored.shape === SHAPE_VERSION
}

export function verdictOn(session: SessionRef, stored: StoredVerdict): Verdict {
  const { agent, sessionId, filePath } = session
  return { agent, sessionId, filePath, ...stored.verdict }
}
