// The data that the list thread gets, and the messages that it publishes. Plain data only.
import type { ContextPlaces } from '../../../catalog/context.ts'
import type { Failure } from '../../../model/errors.ts'
import type { Label } from '../../../model/label.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { MonthlyUsage } from '../../../model/usage.ts'
import type { ApiAgent, Progress, SessionRow } from '../../api.ts'

export interface ListThreadData extends ContextPlaces {
  /** Published by an earlier thread that died, so that this one can report what is gone since. */
  known: SessionRef[]
  /** Keys of sessions that killed an earlier thread. They are listed, but not read. */
  avoided: string[]
}

/** A row from the thread replaces the one the server has. */
export interface PublishedRow {
  session: SessionRef
  row: SessionRow
  /** Known without a check: its database is locked, or it could not be read. */
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
  /** Failures of the last scan. They replace earlier ones. */
  | { type: 'failures'; failures: Failure[] }
  | { type: 'progress'; progress: Progress }
  /** Sent before a large session is read. If the thread then dies, this session was the cause. */
  | { type: 'reads'; key: string }

export interface AgentFacts extends ApiAgent {
  /** What the age of a session is counted from; null where nothing is deleted. */
  deletesFrom: 'file' | 'conversation' | null
}
