// Reads sessions and their metadata. A row that cannot be read affects no other row: what it said is rebuilt
// from the events where they contain it.
import { CompiledQuery, sql } from 'kysely'
import { closeObject } from '../../bytes/close-object.ts'
import { isCorrupt } from '../errors.ts'
import { readConnection } from './connection-rows.ts'
import { MAX_SEQ } from './event-rows.ts'
import { type Quarantine, quarantineRows, type SkippedRow } from './quarantine.ts'
import { rebuildMetadata, rebuildSession } from './rebuild-session.ts'
import { probeOne } from './salvage.ts'
import type { JournalKysely, SessionsTable } from './schema.ts'
import { isTime, makeRebuiltRow, readSessionRow, type SessionRowValues, withRebuilt } from './session-rows.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { JournalSession, Metadata, SessionKind, SessionPage, SkipReason } from './store.ts'

/** How a session was found: by its row, or by its events alone. */
export interface LocatedSession {
  session: JournalSession
  /** The row to write where there is none. */
  missing?: Omit<SessionsTable, 'number'>
}

/** Undefined where the journal has neither a row nor a readable event. */
export async function locateSession(
  database: JournalKysely,
  id: string,
  quarantine: Quarantine,
): Promise<LocatedSession | undefined> {
  const row = await readRow(database, id)
  if (row !== undefined) {
    const session = await fromRow(database, row, quarantine)
    return session === undefined ? undefined : { session }
  }
  const events = await rebuildSession(database, id)
  if (events === undefined) return undefined
  const missing = makeRebuiltRow(id, events)
  const read = readSessionRow({ ...missing, number: 0 })
  if (read === undefined) return undefined
  return { session: { ...withRebuilt(read, kindOf(read), events), rebuilt: ['id'] }, missing }
}

async function readRow(database: JournalKysely, id: string): Promise<StoredRecord | undefined> {
  const query = database.selectFrom('sessions').selectAll().where('id', '=', id).$castTo<StoredRecord>()
  try {
    return await query.executeTakeFirst()
  } catch (error) {
    if (isCorrupt(error)) return undefined
    throw error
  }
}

/** Undefined where the row does not even name its session. */
async function fromRow(
  database: JournalKysely,
  row: StoredRecord,
  quarantine: Quarantine,
): Promise<JournalSession | undefined> {
  const read = readSessionRow(row)
  if (read === undefined) return undefined
  if (read.bad.length === 0) return withRebuilt(read, kindOf(read), undefined)
  await quarantine({ table: 'sessions', key: read.id, reason: reasonOf(read.bad), row })
  const isConnection = read.kind === undefined && (await readConnection(database, read.id)) !== undefined
  const kind = isConnection ? 'connection' : kindOf(read)
  return withRebuilt(read, kind, await rebuildSession(database, read.id))
}

function kindOf({ kind }: SessionRowValues): SessionKind {
  return kind ?? 'conversation'
}

function reasonOf(bad: readonly string[]): SkipReason {
  return bad.includes('session_init_json') ? 'not-json' : 'wrong-type'
}

export async function readSessions(
  database: JournalKysely,
  { limit, before }: { limit: number; before?: number },
  quarantine: Quarantine,
): Promise<SessionPage> {
  const { rows, unreadable, next } = await readRows(database, limit, before)
  const sessions: JournalSession[] = []
  const found: SkippedRow[] = unreadable.map(at => ({ at, reason: 'unreadable' }))
  for (const row of rows) {
    const session = await fromRow(database, row, quarantine)
    if (session === undefined) found.push({ at: Number(row['number']), reason: 'wrong-type', row })
    else if (session.kind === 'conversation') sessions.push(await withActivity(database, session))
  }
  const skipped = await quarantineRows(found, 'sessions', at => String(at), quarantine)
  return { sessions, skipped, before: next }
}

interface ReadRows {
  /** Newest first. */
  rows: StoredRecord[]
  /** Numbers whose rows are on a damaged page. */
  unreadable: number[]
  next: number | undefined
}

/** Numbers beyond these are damaged. They are listed first, and no page begins at one. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER

async function readRows(database: JournalKysely, limit: number, before?: number): Promise<ReadRows> {
  const all = database.selectFrom('sessions').selectAll().$castTo<StoredRecord>()
  const query = all.where('number', '<', before ?? MAX_NUMBER).where('number', '>', -MAX_NUMBER)
  const rows: StoredRecord[] = []
  try {
    if (before === undefined)
      rows.push(
        ...(await all
          .where(({ or, eb }) => or([eb('number', '>=', MAX_NUMBER), eb('number', '<=', -MAX_NUMBER)]))
          .execute()),
      )
    const from = rows.length
    for await (const row of query.orderBy('number', 'desc').limit(limit).stream()) rows.push(row)
    const last = rows.at(-1)
    return { rows, unreadable: [], next: rows.length - from < limit ? undefined : Number(last?.['number']) }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    const newest = Number(rows.at(-1)?.['number'] ?? before ?? (await readNewest(database)) + 1)
    return await probeRows(
      rows,
      newest,
      limit,
      async number => await all.where('number', '=', number).executeTakeFirst(),
    )
  }
}

/** Reads row by row past damaged pages. */
async function probeRows(
  rows: StoredRecord[],
  below: number,
  limit: number,
  probe: (number: number) => Promise<StoredRecord | undefined>,
): Promise<ReadRows> {
  const unreadable: number[] = []
  const last = Math.max(1, below - Math.max(1, limit - rows.length))
  for (let number = below - 1; number >= last; number--) {
    const row = await probeOne(probe, number)
    if (row === 'unreadable') unreadable.push(number)
    else if (row !== 'missing') rows.push(row)
  }
  return { rows, unreadable, next: last > 1 ? last : undefined }
}

/** The session with the time of its last event. A list needs no more of the events. */
export async function withActivity(database: JournalKysely, session: JournalSession): Promise<JournalSession> {
  try {
    const sql = 'SELECT created_at FROM events WHERE session_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1'
    const query = CompiledQuery.raw(sql, [session.id, MAX_SEQ])
    const at = (await database.executeQuery<StoredRecord>(query)).rows[0]?.['created_at']
    return at !== undefined && isTime(at) ? { ...session, lastEventAt: at } : session
  } catch (error) {
    if (isCorrupt(error)) return session
    throw error
  }
}

/** A count that cannot be read is rebuilt, so such sessions are examined too. */
export async function readOpenTurns(database: JournalKysely, quarantine: Quarantine): Promise<JournalSession[]> {
  const rows = await database
    .selectFrom('sessions')
    .selectAll()
    .where(sql<boolean>`open_turns > 0 or typeof(open_turns) <> 'integer'`)
    .orderBy('number')
    .$castTo<StoredRecord>()
    .execute()
  const sessions: JournalSession[] = []
  for (const row of rows) {
    const session = await fromRow(database, row, quarantine)
    if (session !== undefined && session.openTurns > 0) sessions.push(session)
  }
  return sessions
}

async function readNewest(database: JournalKysely): Promise<number> {
  const { newest } = await database
    .selectFrom('sessions')
    .select(({ fn }) => fn.max<number | null>('number').as('newest'))
    .where('number', '<', MAX_NUMBER)
    .executeTakeFirstOrThrow()
  return newest ?? 0
}

/** The metadata that a client stored. Undefined where there is none. */
export async function readMetadata(
  database: JournalKysely,
  id: string,
  quarantine: Quarantine,
): Promise<Metadata | undefined> {
  const row = await readMetadataRow(database, id)
  if (row === undefined) return undefined
  const read = row === 'unreadable' ? { reason: row } : parse(row['metadata_json'])
  if ('metadata' in read) return read.metadata
  if (row !== 'unreadable') await quarantine({ table: 'opencode_session_metadata', key: id, reason: read.reason, row })
  const left = row === 'unreadable' ? {} : leftOf(row['metadata_json'])
  return { ...(await rebuildMetadata(database, id)), ...left, rebuilt: ['metadata_json'] }
}

/** The fields of a cut text. Of the title, a part is better than nothing. */
function leftOf(stored: unknown): Metadata {
  const text = typeof stored === 'string' ? Buffer.from(stored) : stored
  return text instanceof Uint8Array ? (closeObject(Buffer.from(text), ['title'])[0]?.value ?? {}) : {}
}

async function readMetadataRow(database: JournalKysely, id: string): Promise<StoredRecord | 'unreadable' | undefined> {
  const query = database.selectFrom('opencode_session_metadata').selectAll().where('session_id', '=', id)
  try {
    return await query.$castTo<StoredRecord>().executeTakeFirst()
  } catch (error) {
    if (isCorrupt(error)) return 'unreadable'
    throw error
  }
}

function parse(text: unknown): { metadata: Metadata } | { reason: SkipReason } {
  if (typeof text !== 'string') return { reason: 'wrong-type' }
  try {
    const value: unknown = JSON.parse(text)
    return isMetadata(value) ? { metadata: value } : { reason: 'wrong-type' }
  } catch {
    return { reason: 'not-json' }
  }
}

function isMetadata(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
