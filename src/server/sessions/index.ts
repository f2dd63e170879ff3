// The live catalog of the server: every session of every agent in memory, found and read by a thread.
import type { SessionsParts } from './live-sessions.ts'
import { LiveSessions } from './live-sessions.ts'
import type { SessionCatalog } from './sessions.ts'

export type { ServedSession, StatusFacts } from './entries.ts'
export { keyOfSession } from './key.ts'
export type { SessionsParts } from './live-sessions.ts'
export { makeNeedsDecision } from './needs-decision.ts'
export type { SessionCatalog } from './sessions.ts'

/** Nothing is scanned before the first refresh. */
export function makeSessions(parts: SessionsParts): SessionCatalog {
  return new LiveSessions(parts)
}
