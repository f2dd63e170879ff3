// Converts an envelope to a row and back. A checksum covers the whole row, so that no changed bit goes
// unnoticed.
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { wrongUse } from '../errors.ts'
import type { EventsTable } from './schema.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { Envelope, JournalEvent, SkipReason } from './store.ts'

/** The same limit as for lines of logs. */
const MAX_ENVELOPE_BYTES = 256 * 1024 * 1024

/**
 * No session has this many events: a seq beyond is damaged, and no event is written after it. Text sorts
 * after all numbers in SQLite, so this bound excludes it too.
 */
export const MAX_SEQ = 2 ** 50

/** Rejects, before it is queued, an envelope that could not be read back. */
export function assertEnvelope({ payload, sender }: Envelope): void {
  if (sender !== 'client' && sender !== 'agent')
    throw wrongUse(`An envelope comes from a client or an agent, not from ${sender}.`)
  if (payload.length > MAX_ENVELOPE_BYTES)
    throw wrongUse(`An envelope of ${payload.length} bytes is too large for the journal.`)
  if (parseJson(payload) === undefined) throw wrongUse('An envelope that is not JSON cannot be journalled.')
}

export function makeEventRow(sessionId: string, seq: number, envelope: Envelope): EventsTable {
  const row = {
    session_id: sessionId,
    seq,
    id: envelope.id ?? randomUUID(),
    created_at: envelope.createdAt ?? Date.now(),
    connection_id: envelope.connectionId,
    sender: envelope.sender,
    kind: envelope.kind,
    payload_json: envelope.payload,
  }
  return { ...row, checksum: checksumOf(row) }
}

export type ReadEvent = { event: JournalEvent } | { reason: SkipReason }

export function readEventRow(row: StoredRecord): ReadEvent {
  if (!isEventRow(row)) return { reason: 'wrong-type' }
  if (checksumOf(row) !== row.checksum) return { reason: 'checksum' }
  const payload = Buffer.from(row.payload_json.buffer, row.payload_json.byteOffset, row.payload_json.byteLength)
  const parsed = parseJson(payload)
  if (parsed === undefined) return { reason: 'not-json' }
  const event = {
    sessionId: row.session_id,
    seq: row.seq,
    id: row.id,
    createdAt: row.created_at,
    connectionId: row.connection_id,
    sender: row.sender,
    kind: row.kind,
    payload,
    envelope: parsed.value,
  }
  return { event }
}

type CheckedRow = EventsTable & { sender: 'client' | 'agent' }

function isEventRow(row: StoredRecord): row is StoredRecord & CheckedRow {
  const { session_id, seq, id, created_at, connection_id, sender, kind, payload_json, checksum } = row
  return (
    [session_id, id, connection_id, kind].every(value => typeof value === 'string') &&
    [seq, created_at, checksum].every(value => typeof value === 'number') &&
    (sender === 'client' || sender === 'agent') &&
    payload_json instanceof Uint8Array
  )
}

function checksumOf(row: Omit<EventsTable, 'checksum'>): number {
  const { session_id, seq, id, created_at, connection_id, sender, kind } = row
  return crc32(row.payload_json, crc32(JSON.stringify([session_id, seq, id, created_at, connection_id, sender, kind])))
}

function parseJson(bytes: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(bytes.toString('utf8')) }
  } catch {
    return undefined
  }
}
