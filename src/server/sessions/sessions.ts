// The interface of the session catalog for the rest of the server.
import type { Failure } from '../../model/errors.ts'
import type { LabelChange } from '../../model/label.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ApiAgent, ApiReceipt, Counts, Progress, SessionsPage, SessionsQuery } from '../api.ts'
import type { ServedSession, StatusFacts } from './entries.ts'
import type { OverviewFigures } from './overview.ts'

export interface SessionCatalog {
  /** Grows whenever a session is added, removed or changed. */
  readonly revision: number
  readonly progress: Progress
  readonly failures: readonly Failure[]
  get(key: string): ServedSession | undefined
  /** The last known state of a session that was removed from the list. */
  gone(key: string): SessionRef | undefined
  /** A key, or the id of a session: the newest where several have it. */
  find(name: string): ServedSession | undefined
  all(): Iterable<ServedSession>
  query(query: SessionsQuery): SessionsPage
  counts(): Counts
  overview(receipts: readonly ApiReceipt[]): OverviewFigures
  /** The agents as of the last scan. Starts the first scan if needed, and waits for it. */
  agents(): Promise<ApiAgent[]>
  /** Scans all stores again. Done when every session is known. Sessions are read afterwards. */
  refresh(): Promise<void>
  /** Scans one store again, after a session was added there. */
  scanStore(agent: string, root: string): Promise<void>
  /** The session as it is now, or undefined where it is gone. */
  renew(key: string): Promise<ServedSession | undefined>
  /** Holds as long as the session stays as it is. */
  setStatus(key: string, facts: StatusFacts): void
  /** Kept in the state folder; the session itself stays as it is. */
  label(key: string, change: LabelChange): Promise<void>
  setTerminal(key: string, terminalId: string | undefined): void
  on(event: 'changed', listener: () => void): () => void
  on(event: 'progress', listener: (progress: Progress) => void): () => void
  close(): Promise<void>
}
