// The journal in a database that kysely supports. All writes go through one queue, which commits them in
// groups.

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ProcessIdentity } from '../../disk/processes/process-identity.ts'
import { RethreadError } from '../../model/errors.ts'
import { affectsAllWrites, journalClosed, journalOverloaded, sessionNotFound, wrongUse } from '../errors.ts'
import {
  claimSession,
  insertConnection,
  processColumns,
  readConnection,
  readOpenConnections,
  updateConnection,
} from './connection-rows.ts'
import { assertEnvelope } from './event-rows.ts'
import { SqlFollower } from './follow.ts'
import { type CommitLimits, GroupCommit } from './group-commit.ts'
import { countQuarantined, type DamagedRow, quarantineRow } from './quarantine.ts'
import { type EventRange, readEvents, readLastSeq } from './read-events.ts'
import { locateSession, readMetadata, readOpenTurns, readSessions, withActivity } from './read-sessions.ts'
import { listOrphans } from './rebuild-session.ts'
import type { JournalKysely, SessionsTable } from './schema.ts'
import { makeSessionRow, makeSessionUpdate } from './session-rows.ts'
import type {
  Appended,
  Envelope,
  EventPage,
  JournalConnection,
  JournalSession,
  JournalStore,
  Metadata,
  NewSession,
  PageOptions,
  SessionChange,
  SessionPage,
  StateChange,
} from './store.ts'
import {
  appendEvents,
  compileStatements,
  type EventStatements,
  type RunStatement,
  writeMetadata,
} from './write-events.ts'

/** The largest page, in rows. */
const MAX_PAGE = 10_000
/** Numbers of sessions stay below. */
const MAX_NUMBER = 2 ** 52
/** The approximate size of a row beside its envelope. */
const ROW_BYTES = 200

export interface SqlStoreOptions {
  reader: JournalKysely
  writer: JournalKysely
  /** For error texts. */
  path: string
  /** Writes all of `work` or nothing. One at a time. */
  transact(work: (transaction: JournalKysely) => Promise<void>): Promise<void>
  /** Runs a statement in the open transaction, through kysely or directly. */
  run: RunStatement
  /** Called when everything is written. */
  close(): Promise<void>
  limits?: Partial<CommitLimits>
  maxPageBytes?: number
}

export class SqlStore implements JournalStore {
  readonly #options: SqlStoreOptions
  readonly #queue: GroupCommit<JournalKysely>
  readonly #statements: EventStatements
  #isClosed = false
  #hasAdopted = false

  constructor(options: SqlStoreOptions) {
    const { writer, path, transact, limits = {} } = options
    this.#options = options
    this.#statements = compileStatements(writer)
    this.#queue = new GroupCommit<JournalKysely>({
      transact,
      affectsAllWrites,
      overloaded: () => journalOverloaded(path),
      limits,
    })
  }

  async createSession(session: NewSession, metadata?: Metadata): Promise<JournalSession> {
    const row = makeSessionRow(session)
    await this.#write(ROW_BYTES, async transaction => {
      const taken = await transaction
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', session.id)
        .executeTakeFirst()
      if (taken !== undefined) return wrongUse(`There is already a session ${session.id} in the journal.`)
      await insertSession(transaction, row)
      if (metadata !== undefined) await writeMetadata(transaction, session.id, metadata)
      return undefined
    })
    const created = await this.getSession(session.id)
    if (created === undefined) throw sessionNotFound(this.#options.path, session.id)
    return created
  }

  async getSession(id: string): Promise<JournalSession | undefined> {
    const found = await locateSession(this.#options.reader, id, this.#quarantine)
    if (found?.missing !== undefined) await this.#addMissing(found.missing)
    return found === undefined ? undefined : await withActivity(this.#options.reader, found.session)
  }

  async listSessions(options: { limit: number; before?: number }): Promise<SessionPage> {
    assertLimit(options.limit)
    if (!this.#hasAdopted) await this.#adoptOrphans()
    return await readSessions(this.#options.reader, options, this.#quarantine)
  }

  async updateSession(id: string, change: SessionChange): Promise<void> {
    await this.append(id, [], { session: change })
  }

  async destroySession(id: string, at = Date.now()): Promise<void> {
    await this.#write(ROW_BYTES, async transaction => {
      const found = await transaction.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()
      if (found === undefined) return sessionNotFound(this.#options.path, id)
      const update = transaction.updateTable('sessions').set({ destroyed_at: at })
      // A time that cannot be read is ignored.
      await update.where('id', '=', id).where(sql<boolean>`typeof(destroyed_at) <> 'integer'`).execute()
      return undefined
    })
  }

  async discardSession(id: string): Promise<void> {
    await this.#write(ROW_BYTES, async transaction => {
      await transaction.deleteFrom('events').where('session_id', '=', id).execute()
      await transaction.deleteFrom('opencode_session_metadata').where('session_id', '=', id).execute()
      await transaction.deleteFrom('sessions').where('id', '=', id).execute()
    })
  }

  async append(sessionId: string, envelopes: readonly Envelope[], change: StateChange = {}): Promise<Appended> {
    for (const envelope of envelopes) assertEnvelope(envelope)
    if (change.session !== undefined) makeSessionUpdate(change.session)
    const createdAt = Date.now()
    // Completed now, because the queue may have to write them again.
    const complete = envelopes.map(envelope => ({ id: randomUUID(), createdAt, ...envelope }))
    const bytes = envelopes.reduce((sum, { payload }) => sum + payload.length + ROW_BYTES, ROW_BYTES)
    const request = { path: this.#options.path, sessionId, envelopes: complete, change }
    return await this.#write(
      bytes,
      async transaction => await appendEvents(transaction, this.#statements, this.#options.run, request),
    )
  }

  async page(sessionId: string, options: PageOptions): Promise<EventPage> {
    const { limit, after = 0, before } = options
    assertLimit(limit)
    for (const seq of [after, before ?? 0])
      if (!Number.isSafeInteger(seq) || seq < 0) throw wrongUse(`There is no event ${seq}.`)
    const total = await this.count(sessionId)
    if (before === undefined)
      return await this.#read(
        { firstSeq: after + 1, lastSeq: Math.min(total, after + limit), from: 'first' },
        sessionId,
        total,
      )
    const lastSeq = Math.min(total, before - 1)
    return await this.#read({ firstSeq: Math.max(1, lastSeq - limit + 1), lastSeq, from: 'last' }, sessionId, total)
  }

  async tail(sessionId: string, count: number): Promise<EventPage> {
    return await this.page(sessionId, { before: Number.MAX_SAFE_INTEGER, limit: count })
  }

  async count(sessionId: string): Promise<number> {
    const last = await readLastSeq(this.#options.reader, sessionId)
    if (last === 0 && (await this.getSession(sessionId)) === undefined)
      throw sessionNotFound(this.#options.path, sessionId)
    return last
  }

  async beginConnection(connection: Omit<JournalConnection, 'endedAt' | 'process'>, cwd: string): Promise<void> {
    const { id, agent, beganAt } = connection
    const names = { id, agent, agentSessionId: '', lastConnectionId: id, cwd, createdAt: beganAt }
    const row = makeSessionRow({ ...names, kind: 'connection' })
    await this.#write(ROW_BYTES, async transaction => {
      await insertConnection(transaction, connection)
      await insertSession(transaction, row)
    })
  }

  async setProcess(id: string, process: ProcessIdentity): Promise<void> {
    await this.#write(ROW_BYTES, async transaction => await updateConnection(transaction, id, processColumns(process)))
  }

  async endConnection(id: string, at = Date.now()): Promise<void> {
    await this.#write(ROW_BYTES, async transaction => await updateConnection(transaction, id, { ended_at: at }))
  }

  async getConnection(id: string): Promise<JournalConnection | undefined> {
    return await readConnection(this.#options.reader, id)
  }

  async listOpenConnections(): Promise<JournalConnection[]> {
    return await readOpenConnections(this.#options.reader)
  }

  async listOpenTurns(): Promise<JournalSession[]> {
    return await readOpenTurns(this.#options.reader, this.#quarantine)
  }

  async claimSession(
    sessionId: string,
    connectionId: string,
    isHeld: (connection: JournalConnection) => boolean,
  ): Promise<JournalConnection | undefined> {
    const names = { sessionId, connectionId }
    const { holder } = await this.#write(
      ROW_BYTES,
      async transaction => await claimSession(transaction, this.#options.path, names, isHeld),
    )
    return holder
  }

  async getMetadata(sessionId: string): Promise<Metadata | undefined> {
    return await readMetadata(this.#options.reader, sessionId, this.#quarantine)
  }

  async setMetadata(sessionId: string, metadata: Metadata): Promise<void> {
    await this.append(sessionId, [], { metadata })
  }

  async follow(): Promise<SqlFollower> {
    return await SqlFollower.start(this.#options.reader)
  }

  async countQuarantined(): Promise<number> {
    return await countQuarantined(this.#options.reader)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#queue.idle()
    await this.#options.close()
  }

  async #read(window: Omit<EventRange, 'sessionId'>, sessionId: string, total: number): Promise<EventPage> {
    const { reader, maxPageBytes } = this.#options
    const limit = maxPageBytes === undefined ? {} : { maxBytes: maxPageBytes }
    const page = await readEvents(reader, { ...window, sessionId }, { quarantine: this.#quarantine, ...limit })
    return { ...page, total }
  }

  async #write<T>(bytes: number, work: (transaction: JournalKysely) => Promise<T | RethreadError>): Promise<T> {
    if (this.#isClosed) throw journalClosed(this.#options.path)
    const result = await this.#queue.run(bytes, work)
    if (result instanceof RethreadError) throw result
    return result
  }

  /** Events without a row belong to a session whose row was lost. It is listed again. */
  async #adoptOrphans(): Promise<void> {
    this.#hasAdopted = true
    for (const id of await listOrphans(this.#options.reader)) await this.getSession(id)
  }

  /** Where the journal cannot be written, the session is only read. */
  async #addMissing(row: Omit<SessionsTable, 'number'>): Promise<void> {
    try {
      await this.#write(ROW_BYTES, async transaction => {
        const taken = await transaction.selectFrom('sessions').select('id').where('id', '=', row.id).executeTakeFirst()
        if (taken === undefined) await insertSession(transaction, row)
      })
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
    }
  }

  /** A reading continues where the journal cannot be written. Its result says so for each row. */
  readonly #quarantine = async (row: DamagedRow): Promise<boolean> => {
    try {
      await this.#write(ROW_BYTES, async transaction => await quarantineRow(transaction, row))
      return true
    } catch (error) {
      if (error instanceof RethreadError) return false
      throw error
    }
  }
}

/** The number is chosen here: SQLite's own choice fails for good once one row has the largest number. */
async function insertSession(transaction: JournalKysely, row: Omit<SessionsTable, 'number'>): Promise<void> {
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from sessions where number < ${MAX_NUMBER})`
  await transaction
    .insertInto('sessions')
    .values({ ...row, number })
    .execute()
}

function assertLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw wrongUse(`A page has 1 to ${MAX_PAGE} rows, not ${limit}.`)
}
