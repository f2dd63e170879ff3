// Reads a page of events. Seqs have no gaps, so the missing rows of a page are known.
import { sql } from 'kysely'
import { isCorrupt } from '../errors.ts'
import { MAX_SEQ, readEventRow } from './event-rows.ts'
import { type Quarantine, quarantineRows, type SkippedRow } from './quarantine.ts'
import { salvage } from './salvage.ts'
import type { JournalKysely } from './schema.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { EventPage, JournalEvent, Skipped } from './store.ts'

/** A page ends here, but holds at least one event. A session may hold many large ones. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024

export interface EventRange {
  sessionId: string
  firstSeq: number
  lastSeq: number
  /** The end to start from. A page that is too large is cut at the other end. */
  from: 'first' | 'last'
}

export interface ReadEventsOptions {
  maxBytes?: number
  quarantine: Quarantine
}

export async function readEvents(
  database: JournalKysely,
  window: EventRange,
  { quarantine, maxBytes = MAX_PAGE_BYTES }: ReadEventsOptions,
): Promise<Omit<EventPage, 'total'>> {
  const gap = await findGap(database, window)
  if (gap !== undefined) return gap
  const positions = positionsOf(window)
  const events: JournalEvent[] = []
  const found: SkippedRow[] = []
  let bytes = 0
  let scanned = 0
  await salvage({
    rows: selectRange(database, window).stream(),
    positions,
    positionOf: row => row['seq'],
    probe: async seq => await select(database, window.sessionId).where('seq', '=', seq).executeTakeFirst(),
    scan: () => scanRange(database, window).stream(),
    take(at, row) {
      scanned++
      if (row === 'missing' || row === 'unreadable') found.push({ at, reason: row })
      else {
        const read = readEventRow(row)
        if ('event' in read) events.push(read.event)
        else found.push({ at, reason: read.reason, row })
        bytes += row['payload_json'] instanceof Uint8Array ? row['payload_json'].length : 0
      }
      return bytes < maxBytes
    },
  })
  const skipped = await quarantineRows(found, 'events', at => `${window.sessionId} ${at}`, quarantine)
  return inOrder(window, events, skipped, scanned)
}

/**
 * A page without any row. It covers the whole gap, because a damaged seq may leave one of billions of events.
 */
async function findGap(
  database: JournalKysely,
  { sessionId, firstSeq, lastSeq, from }: EventRange,
): Promise<Omit<EventPage, 'total'> | undefined> {
  if (lastSeq < firstSeq) return undefined
  const nearest = await nearestSeq(database, sessionId, from === 'first' ? firstSeq : lastSeq, from)
  if (nearest === 'unreadable' || (nearest !== undefined && nearest >= firstSeq && nearest <= lastSeq)) return undefined
  const at = from === 'first' ? firstSeq : (nearest ?? 0) + 1
  const upTo = from === 'first' ? (nearest ?? lastSeq + 1) - 1 : lastSeq
  return { events: [], skipped: [{ at, upTo, reason: 'missing', isQuarantined: false }], firstSeq: at, lastSeq: upTo }
}

async function nearestSeq(
  database: JournalKysely,
  sessionId: string,
  seq: number,
  from: EventRange['from'],
): Promise<number | 'unreadable' | undefined> {
  const rows = database.selectFrom('events').where('session_id', '=', sessionId)
  const query =
    from === 'first'
      ? rows
          .where('seq', '>=', seq)
          .where('seq', '<=', MAX_SEQ)
          .select(({ fn }) => fn.min<number | null>('seq').as('seq'))
      : rows
          .where('seq', '<=', seq)
          .where('seq', '>=', 1)
          .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
  try {
    return (await query.executeTakeFirstOrThrow()).seq ?? undefined
  } catch (error) {
    if (isCorrupt(error)) return 'unreadable'
    throw error
  }
}

function positionsOf({ firstSeq, lastSeq, from }: EventRange): number[] {
  const positions = Array.from({ length: Math.max(0, lastSeq - firstSeq + 1) }, (_, index) => firstSeq + index)
  return from === 'first' ? positions : positions.reverse()
}

function inOrder(
  { firstSeq, lastSeq, from }: EventRange,
  events: JournalEvent[],
  skipped: Skipped[],
  scanned: number,
): Omit<EventPage, 'total'> {
  if (from === 'first') return { events, skipped, firstSeq, lastSeq: firstSeq + scanned - 1 }
  return { events: events.reverse(), skipped: skipped.reverse(), firstSeq: lastSeq - scanned + 1, lastSeq }
}

/** Does not read the row of the session, so its events stay readable where only that row is damaged. */
export async function readLastSeq(database: JournalKysely, sessionId: string): Promise<number> {
  const last = database
    .selectFrom('events')
    .select(({ fn }) => fn.max<number | null>('seq').as('last'))
    .where('seq', '<=', MAX_SEQ)
  try {
    return (await last.where('session_id', '=', sessionId).executeTakeFirstOrThrow()).last ?? 0
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return (await last.where(isOf(sessionId)).executeTakeFirstOrThrow()).last ?? 0
  }
}

function select(database: JournalKysely, sessionId?: string) {
  const rows = database
    .selectFrom('events')
    .select(['session_id', 'seq', 'id', 'created_at', 'connection_id', 'sender', 'kind', 'checksum'])
    // The raw bytes: text would be decoded.
    .select(sql<Uint8Array>`cast(payload_json as blob)`.as('payload_json'))
    .$castTo<StoredRecord>()
  return sessionId === undefined ? rows : rows.where('session_id', '=', sessionId)
}

function selectRange(database: JournalKysely, { sessionId, firstSeq, lastSeq, from }: EventRange) {
  return select(database, sessionId)
    .where('seq', '>=', firstSeq)
    .where('seq', '<=', lastSeq)
    .orderBy('seq', from === 'first' ? 'asc' : 'desc')
}

/** Scans the whole table, for a damaged index. */
function scanRange(database: JournalKysely, { sessionId, firstSeq, lastSeq }: EventRange) {
  return select(database).where(isOf(sessionId)).where(sql<boolean>`+seq between ${firstSeq} and ${lastSeq}`)
}

/** The unary plus keeps SQLite from using the index. */
function isOf(sessionId: string) {
  return sql<boolean>`+session_id = ${sessionId}`
}
