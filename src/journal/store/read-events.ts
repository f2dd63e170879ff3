// A page of events. Since seqs have no gaps, it is known which rows a page has to have, and so what is missing from it.
import { sql } from 'kysely'
import { isCorrupt } from '../errors.ts'
import { MAX_SEQ, readEventRow } from './event-rows.ts'
import { type Quarantine, quarantineRows, type SkippedRow } from './quarantine.ts'
import { salvage } from './salvage.ts'
import type { JournalKysely } from './schema.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { EventPage, JournalEvent, Skipped } from './store.ts'

/** A page ends here, and has at least one event: a session may hold many that are large. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024

export interface EventRange {
  sessionId: string
  firstSeq: number
  lastSeq: number
  /** From which end: the one where the page must not be cut short. */
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
  const places = placesOf(window)
  const events: JournalEvent[] = []
  const found: SkippedRow[] = []
  let bytes = 0
  let scanned = 0
  await salvage({
    rows: selectRange(database, window).stream(),
    places,
    placeOf: row => row['seq'],
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

function placesOf({ firstSeq, lastSeq, from }: EventRange): number[] {
  const places = Array.from({ length: Math.max(0, lastSeq - firstSeq + 1) }, (_, index) => firstSeq + index)
  return from === 'first' ? places : places.reverse()
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

/** Needs no row of a session: where only that is damaged, its events can be read. */
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
    // The bytes, whatever they are: as text they would be decoded.
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

/** The same through the whole table, for when its index is damaged. */
function scanRange(database: JournalKysely, { sessionId, firstSeq, lastSeq }: EventRange) {
  return select(database).where(isOf(sessionId)).where(sql<boolean>`+seq between ${firstSeq} and ${lastSeq}`)
}

/** The sign keeps the index out of it. */
function isOf(sessionId: string) {
  return sql<boolean>`+session_id = ${sessionId}`
}
