// What the rest of the server knows of the library.
import type { Failure } from '../../model/errors.ts'
import type { LabelChange } from '../../model/label.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ApiAgent, ApiReceipt, Counts, Progress, SessionsPage, SessionsQuery } from '../api.ts'
import type { ServedSession, StatusFacts } from './entries.ts'
import type { OverviewFigures } from './overview.ts'

export interface Sessions {
  /** Grows whenever a session comes, goes or changes. */
  readonly revision: number
  readonly progress: Progress
  readonly failures: readonly Failure[]
  get(key: string): ServedSession | undefined
  /** As it was last seen, of one that was taken off the list since. */
  gone(key: string): SessionRef | undefined
  /** A key, or the id of a session: the newest where several have it. */
  find(name: string): ServedSession | undefined
  all(): Iterable<ServedSession>
  query(query: SessionsQuery): SessionsPage
  counts(): Counts
  overview(receipts: readonly ApiReceipt[]): OverviewFigures
  /** As of the last look. Waits for the first one, and starts it where nobody did. */
  agents(): Promise<ApiAgent[]>
  /** Looks at all stores again. Done when every session is known; what has to be read is read afterwards. */
  refresh(): Promise<void>
  /** Looks at one store again, for sessions that somebody knows have come. */
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
