// A verdict as it is remembered: with what it was made from, and by which rules.
import { seal, unseal } from '../../disk/state/checksums.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Origin } from './origin.ts'

/** Raised whenever the shape below changes. */
const SHAPE_VERSION = 1

export interface StoredVerdict {
  shape: typeof SHAPE_VERSION
  rules: string
  origin: Origin
  /** Which session it is stands in the key. */
  verdict: Omit<Verdict, 'agent' | 'sessionId' | 'filePath'>
}

export function formatVerdict(verdict: Verdict, origin: Origin, rules: string): string {
  const { agent: _agent, sessionId: _sessionId, filePath: _filePath, ...rest } = verdict
  const stored: StoredVerdict = { shape: SHAPE_VERSION, rules, origin, verdict: rest }
  return seal(stored)
}

/** Undefined for what is damaged or was written by another version: the session is checked again, as if nothing were there. */
export function parseVerdict(text: string): StoredVerdict | undefined {
  const stored = unseal(text)
  return isOfThisShape(stored) ? stored : undefined
}

/** What is sealed was made by `formatVerdict`; its number says by which. */
function isOfThisShape(stored: unknown): stored is StoredVerdict {
  return typeof stored === 'object' && stored !== null && 'shape' in stored && stored.shape === SHAPE_VERSION
}

export function verdictOn(session: SessionRef, stored: StoredVerdict): Verdict {
  const { agent, sessionId, filePath } = session
  return { agent, sessionId, filePath, ...stored.verdict }
}
