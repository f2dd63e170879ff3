// The interface of a journal store: every message of every live conversation, in order. Every store has to
// pass test/support/journal/conformance.ts.
import type { ProcessIdentity } from '../../disk/processes/process-identity.ts'

export type Sender = 'client' | 'agent'

export interface Envelope {
  connectionId: string
  sender: Sender
  /** The kind of message: a request, a response, an update, a note. */
  kind: string
  /** JSON, stored byte for byte. Must not change until the append is done. */
  payload: Buffer
  /** Generated where absent. */
  id?: string
  /** In milliseconds. Default: now. */
  createdAt?: number
}

export interface JournalEvent {
  sessionId: string
  /** The order of events: 1, 2, 3 … in each session. Times do not define it. */
  seq: number
  id: string
  createdAt: number
  connectionId: string
  sender: Sender
  kind: string
  /** The original bytes. */
  payload: Buffer
  /** The parsed payload. */
  envelope: unknown
}

/** `connection`: holds events that belong to no conversation. It is not listed. */
export type SessionKind = 'conversation' | 'connection'

/** `pending`: the next prompt carries the replay. `sent`: a prompt carried it and was not answered yet. */
export type ReplayState = 'pending' | 'sent'

export interface Replay {
  state: ReplayState
  /** The last event of the replay. */
  upTo: number
}

export interface NewSession {
  id: string
  agent: string
  agentSessionId: string
  lastConnectionId: string
  cwd: string
  /** The parameters that started it, as JSON text, unchanged. */
  initJson?: string
  createdAt?: number
  kind?: SessionKind
}

export interface JournalSession {
  /** Sessions are listed by this, newest first. */
  number: number
  id: string
  agent: string
  agentSessionId: string
  lastConnectionId: string
  cwd: string
  initJson: string | undefined
  createdAt: number
  destroyedAt: number | undefined
  restoredBy: string | undefined
  kind: SessionKind
  /** Prompts without an answer. */
  openTurns: number
  replay: Replay | undefined
  /** The time of the last event, where there is one. */
  lastEventAt?: number
  /** The columns whose stored value could not be read. Their values come from the events. */
  rebuilt?: readonly string[]
}

/** The fields to change. Null clears a value. */
export interface SessionChange {
  agent?: string
  agentSessionId?: string
  lastConnectionId?: string
  cwd?: string
  initJson?: string | null
  destroyedAt?: number | null
  restoredBy?: string | null
  openTurns?: number
  replay?: Replay | null
}

/** An agent's process and the rethread that talks to it. */
export interface JournalConnection {
  id: string
  agent: string
  beganAt: number
  endedAt: number | undefined
  owner: ProcessIdentity
  process: ProcessIdentity | undefined
}

export type Metadata = Record<string, unknown>

/** What an append changes beside adding events. */
export interface StateChange {
  session?: SessionChange
  /** Replaces the metadata. */
  metadata?: Metadata
}

/** From `firstSeq` to `lastSeq`. Without envelopes, `lastSeq` is `firstSeq` - 1. */
export interface Appended {
  firstSeq: number
  lastSeq: number
}

/** After or before one event. Default: from the first. */
export type PageOptions = { limit: number } & ({ after?: number; before?: never } | { before: number; after?: never })

/**
 * `checksum`, `not-json`, `wrong-type`: another program changed the row, which is copied to the quarantine.
 * `missing`: there is no row. `unreadable`: its page is damaged.
 */
export type SkipReason = 'checksum' | 'not-json' | 'wrong-type' | 'missing' | 'unreadable'

export interface Skipped {
  /** The seq of an event, or the number of a session. */
  at: number
  /** The last of several missing events in a row, where they are reported together. */
  upTo?: number
  reason: SkipReason
  isQuarantined: boolean
}

export interface EventPage {
  /** In order. */
  events: JournalEvent[]
  /** Events of the page that could not be read. */
  skipped: Skipped[]
  /**
   * The range that was read. The next page is after `lastSeq`, the previous one before `firstSeq`. It may be
   * smaller than requested.
   */
  firstSeq: number
  lastSeq: number
  /** The seq of the last event. */
  total: number
}

export interface SessionPage {
  /** Newest first. */
  sessions: JournalSession[]
  skipped: Skipped[]
  /** The start of the next page. Undefined where there is none. */
  before: number | undefined
}

export interface JournalStore {
  /** Refuses an id that exists. */
  createSession(session: NewSession, metadata?: Metadata): Promise<JournalSession>
  /** A damaged row, or one that is missing although there are events, is rebuilt from the events. */
  getSession(id: string): Promise<JournalSession | undefined>
  /** Lists conversations, including destroyed ones. */
  listSessions(options: { limit: number; before?: number }): Promise<SessionPage>
  updateSession(id: string, change: SessionChange): Promise<void>
  /** Keeps the events. A second call changes nothing. */
  destroySession(id: string, at?: number): Promise<void>
  /** Removes a session and its events. Only for one that holds nothing of its own: its start failed. */
  discardSession(id: string): Promise<void>
  /**
   * Appends all or nothing. Resolves when the data is as durable as the journal was opened to be. Events of
   * one session keep the order of the calls. A failed call leaves nothing behind.
   */
  append(sessionId: string, envelopes: readonly Envelope[], change?: StateChange): Promise<Appended>
  page(sessionId: string, options: PageOptions): Promise<EventPage>
  /** The last `count` events, or fewer where they are large. */
  tail(sessionId: string, count: number): Promise<EventPage>
  count(sessionId: string): Promise<number>
  /** Also creates a session of kind `connection`, for events that belong to no conversation. */
  beginConnection(connection: Omit<JournalConnection, 'endedAt' | 'process'>, cwd: string): Promise<void>
  setProcess(id: string, process: ProcessIdentity): Promise<void>
  endConnection(id: string, at?: number): Promise<void>
  getConnection(id: string): Promise<JournalConnection | undefined>
  /** Connections without an end. */
  listOpenConnections(): Promise<JournalConnection[]>
  /** Sessions with unanswered prompts, of any process. */
  listOpenTurns(): Promise<JournalSession[]>
  /**
   * Makes the connection the owner of the session, unless `isHeld` is true for the current owner. Decided
   * under the lock, so that only one of two concurrent claims succeeds. Returns the current owner in that
   * case.
   */
  claimSession(
    sessionId: string,
    connectionId: string,
    isHeld: (connection: JournalConnection) => boolean,
  ): Promise<JournalConnection | undefined>
  /** Damaged metadata is rebuilt from the events, and names the column under `rebuilt`. */
  getMetadata(sessionId: string): Promise<Metadata | undefined>
  setMetadata(sessionId: string, metadata: Metadata): Promise<void>
  /** Gives what any process changes from now on. */
  follow(): Promise<JournalFollower>
  /** The number of rows in quarantine. */
  countQuarantined(): Promise<number>
  /** Waits for pending appends. */
  close(): Promise<void>
}

export interface FollowedChanges {
  events: JournalEvent[]
  /** Something was written: these events, or anything else. */
  isChanged: boolean
}

export interface JournalFollower {
  /** What was changed since the last call. */
  next(): Promise<FollowedChanges>
  /** The ids of all conversations that were not removed. Undefined where they cannot be read. */
  liveSessions(): Promise<ReadonlySet<string> | undefined>
}
