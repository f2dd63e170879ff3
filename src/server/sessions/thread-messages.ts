// What the thread of the list is given, and what it publishes. Plain data only.
import type { ContextPlaces } from '../../catalog/context.ts'
import type { Failure } from '../../model/errors.ts'
import type { Label } from '../../model/label.ts'
import type { SessionRef } from '../../model/session.ts'
import type { MonthlyUsage } from '../../model/usage.ts'
import type { ApiAgent, Progress, SessionRow } from '../api.ts'

export interface ListThreadData extends ContextPlaces {
  /** What an earlier thread published before it died, so that this one can say what is gone since. */
  known: SessionRef[]
  /** Keys of sessions at which an earlier thread died: they are listed and not read. */
  avoided: string[]
}

/** The last word on a session is always that of the thread. */
export interface PublishedRow {
  session: SessionRef
  row: SessionRow
  /** Seen without a check: its database is locked, or it could not be read. */
  trouble?: 'busy' | 'unreadable'
  failure?: Failure
  usageByMonth?: MonthlyUsage
}

export type ThreadMessage =
  | { type: 'rows'; rows: PublishedRow[] }
  | { type: 'gone'; keys: string[] }
  /** All of them, before the first rows. */
  | { type: 'labels'; labels: ReadonlyMap<string, Label>; identity: string; failure: Failure | undefined }
  | { type: 'agents'; agents: AgentFacts[] }
  /** Of looking for sessions; replaces those before. */
  | { type: 'failures'; failures: Failure[] }
  | { type: 'progress'; progress: Progress }
  /** A large session is about to be read. If nothing more is heard, it was the last straw. */
  | { type: 'reads'; key: string }

export interface AgentFacts extends ApiAgent {
  /** Where its days are counted from; null where nothing is deleted. */
  deletesFrom: 'file' | 'conversation' | null
}
