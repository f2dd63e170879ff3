// What keeps a journal: every envelope of every live conversation, in the order in which it was passed on. conformance.ts is what each must pass.

export type Sender = 'client' | 'agent'

export interface Envelope {
  connectionId: string
  sender: Sender
  /** In the words of whoever journals: a request, a method, an update. */
  kind: string
  /** JSON, kept byte for byte as it was received. Not to be changed before the append is done. */
  payload: Buffer
  /** Made up where none is given. */
  id?: string
  /** Milliseconds; now, where none is given. */
  createdAt?: number
}

export interface JournalEvent {
  sessionId: string
  /** The order: 1, 2, 3 … in each session. Times say nothing about it. */
  seq: number
  id: string
  createdAt: number
  connectionId: string
  sender: Sender
  kind: string
  /** The very bytes. */
  payload: Buffer
  /** The same, parsed. */
  envelope: unknown
}

/** `connection`: what belongs to no conversation, such as how a connection began. It is not listed. */
export type SessionKind = 'conversation' | 'connection'

/** `pending`: the next prompt has to tell the agent what was said before; `sent`: one has, and was not answered yet. */
export type ReplayState = 'pending' | 'sent'

export interface Replay {
  state: ReplayState
  /** The last event it tells of. */
  upTo: number
}

export interface NewSession {
  id: string
  agent: string
  agentSessionId: string
  lastConnectionId: string
  cwd: string
  /** The parameters it was begun with, as JSON text, kept as given. */
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
  /** Prompts that have not been answered yet. */
  openTurns: number
  replay: Replay | undefined
}

/** What is to be different; the rest stays. Null takes a value away. */
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

/** A process as it can be told from a later one with the same number. */
export interface ProcessIdentity {
  pid: number
  began: string
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

/** What an envelope changes beside being there. */
export interface StateChange {
  session?: SessionChange
  /** In place of what there was. */
  metadata?: Metadata
}

/** From `firstSeq` to `lastSeq`; without envelopes the one is behind the other. */
export interface Appended {
  firstSeq: number
  lastSeq: number
}

/** Behind or before one event; neither: from the first. */
export type PageOptions = { limit: number } & ({ after?: number; before?: never } | { before: number; after?: never })

/**
 * `checksum`, `not-json`, `wrong-type`: the row is there, was changed by something else than rethread, and is copied to the quarantine.
 * `missing`: there is no row. `unreadable`: its page is damaged.
 */
export type SkipReason = 'checksum' | 'not-json' | 'wrong-type' | 'missing' | 'unreadable'

export interface Skipped {
  /** The seq of an event, the number of a session. */
  at: number
  reason: SkipReason
  isQuarantined: boolean
}

export interface EventPage {
  /** In order. */
  events: JournalEvent[]
  /** What should be among them and could not be given. */
  skipped: Skipped[]
  /** What has been looked at: the next page is after `lastSeq`, the one before is before `firstSeq`. It may be less than was asked for. */
  firstSeq: number
  lastSeq: number
  /** The last there is. */
  total: number
}

export interface SessionPage {
  /** Newest first. */
  sessions: JournalSession[]
  skipped: Skipped[]
  /** For the next page, where there may be one. */
  before: number | undefined
}

export interface JournalStore {
  /** Refuses an id that is taken. */
  createSession(session: NewSession, metadata?: Metadata): Promise<JournalSession>
  getSession(id: string): Promise<JournalSession | undefined>
  /** Conversations, those that were destroyed too. */
  listSessions(options: { limit: number; before?: number }): Promise<SessionPage>
  updateSession(id: string, change: SessionChange): Promise<void>
  /** Its events stay. A second time changes nothing. */
  destroySession(id: string, at?: number): Promise<void>
  /**
   * All of it or nothing, and resolved only when it is as safe as the journal was opened to be. What is appended to one session is in the
   * order of the calls; a call that failed has left nothing behind.
   */
  append(sessionId: string, envelopes: readonly Envelope[], change?: StateChange): Promise<Appended>
  page(sessionId: string, options: PageOptions): Promise<EventPage>
  /** The last `count`, or fewer where they are large. */
  tail(sessionId: string, count: number): Promise<EventPage>
  count(sessionId: string): Promise<number>
  /** A session of kind `connection` comes with it, for what belongs to no conversation. */
  beginConnection(connection: Omit<JournalConnection, 'endedAt' | 'process'>, cwd: string): Promise<void>
  setProcess(id: string, process: ProcessIdentity): Promise<void>
  endConnection(id: string, at?: number): Promise<void>
  getConnection(id: string): Promise<JournalConnection | undefined>
  /** Those that nobody has ended. */
  listOpenConnections(): Promise<JournalConnection[]>
  /** Sessions with prompts that were not answered, whoever asked. */
  listOpenTurns(): Promise<JournalSession[]>
  /**
   * From now on the session belongs to this connection, unless the one it belongs to is held: asked under the lock, so that of two that claim
   * it at once only one has it. Returns the connection that holds it.
   */
  claimSession(
    sessionId: string,
    connectionId: string,
    isHeld: (connection: JournalConnection) => boolean,
  ): Promise<JournalConnection | undefined>
  getMetadata(sessionId: string): Promise<Metadata | undefined>
  setMetadata(sessionId: string, metadata: Metadata): Promise<void>
  /** How many rows are in quarantine. */
  countQuarantined(): Promise<number>
  /** Waits for what was appended. */
  close(): Promise<void>
}
