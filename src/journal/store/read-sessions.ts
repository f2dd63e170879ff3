// Reads sessions and their metadata. A row that cannot be read is reported and affects no other row.
import { damagedRow } from '../errors.ts'
import type { Quarantine } from './quarantine.ts'
import { quarantineRows, type SkippedRow } from './quarantine.ts'
import { salvage } from './salvage.ts'
import type { JournalKysely } from './schema.ts'
import { readSessionRow } from './session-rows.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { JournalSession, Metadata, SessionPage, SkipReason } from './store.ts'

/** Undefined where there is none. Throws for a damaged row. */
export async function readSession(
  database: JournalKysely,
  path: string,
  id: string,
  quarantine: Quarantine,
): Promise<JournalSession | undefined> {
  const row = await database
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .$castTo<StoredRecord>()
    .executeTakeFirst()
  if (row === undefined) return undefined
  const read = readSessionRow(row)
  if ('session' in read) return read.session
  await quarantine({ table: 'sessions', key: id, reason: read.reason, row })
  throw damagedRow(path, `The row of session ${id}`)
}

export async function readSessions(
  database: JournalKysely,
  { limit, before }: { limit: number; before?: number },
  quarantine: Quarantine,
): Promise<SessionPage> {
  const newest = before === undefined ? await readNewest(database) : before - 1
  const positions = Array.from({ length: Math.min(limit, newest) }, (_, index) => newest - index)
  const sessions: JournalSession[] = []
  const found: SkippedRow[] = []
  const query = database.selectFrom('sessions').selectAll().$castTo<StoredRecord>()
  const last = positions.at(-1) ?? 0
  await salvage({
    rows: query.where('number', '<=', newest).where('number', '>=', last).orderBy('number', 'desc').stream(),
    positions,
    positionOf: row => row['number'],
    probe: async number => await query.where('number', '=', number).executeTakeFirst(),
    take(at, row) {
      if (row === 'missing' || row === 'unreadable') found.push({ at, reason: row })
      else {
        const read = readSessionRow(row)
        if ('session' in read) {
          if (read.session.kind === 'conversation') sessions.push(read.session)
        } else found.push({ at, reason: read.reason, row })
      }
      return true
    },
  })
  const skipped = await quarantineRows(found, 'sessions', (_, row) => String(row['id']), quarantine)
  return { sessions, skipped, before: last > 1 ? last : undefined }
}

/** Damaged rows are left out here. `readSessions` reports them. */
export async function readOpenTurns(database: JournalKysely): Promise<JournalSession[]> {
  const query = database.selectFrom('sessions').selectAll().where('open_turns', '>', 0).orderBy('number')
  const rows = await query.$castTo<StoredRecord>().execute()
  return rows.map(readSessionRow).flatMap(read => ('session' in read ? [read.session] : []))
}

async function readNewest(database: JournalKysely): Promise<number> {
  const { newest } = await database
    .selectFrom('sessions')
    .select(({ fn }) => fn.max<number | null>('number').as('newest'))
    .executeTakeFirstOrThrow()
  return newest ?? 0
}

/** The metadata that a client stored. Undefined where there is none. Throws for a damaged row. */
export async function readMetadata(
  database: JournalKysely,
  path: string,
  id: string,
  quarantine: Quarantine,
): Promise<Metadata | undefined> {
  const row = await database
    .selectFrom('opencode_session_metadata')
    .selectAll()
    .where('session_id', '=', id)
    .$castTo<StoredRecord>()
    .executeTakeFirst()
  if (row === undefined) return undefined
  const read = parse(row['metadata_json'])
  if ('metadata' in read) return read.metadata
  await quarantine({ table: 'opencode_session_metadata', key: id, reason: read.reason, row })
  throw damagedRow(path, `The metadata of session ${id}`)
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
