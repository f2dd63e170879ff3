// Copies damaged rows aside, with the reason. The row itself stays: nothing is deleted.

import { sql } from 'kysely'
import type { JournalKysely } from './schema.ts'
import type { StoredRecord, StoredValue } from './sql-connection.ts'
import type { Skipped, SkipReason } from './store.ts'

export interface DamagedRow {
  table: 'sessions' | 'events' | 'opencode_session_metadata'
  /** A stable name of the row. */
  key: string
  reason: SkipReason
  row: StoredRecord
}

/** Copies a row aside. Returns whether that worked. */
export type Quarantine = (row: DamagedRow) => Promise<boolean>

/** A row that a reading left out, with its content where there is any. */
export interface SkippedRow {
  at: number
  reason: SkipReason
  row?: StoredRecord
}

export async function quarantineRows(
  found: readonly SkippedRow[],
  table: DamagedRow['table'],
  keyOf: (at: number, row: StoredRecord) => string,
  quarantine: Quarantine,
): Promise<Skipped[]> {
  const skipped: Skipped[] = []
  for (const { at, reason, row } of found) {
    const isQuarantined = row !== undefined && (await quarantine({ table, key: keyOf(at, row), reason, row }))
    skipped.push({ at, reason, isQuarantined })
  }
  return skipped
}

/** Stored once for each row and reason. */
export async function quarantineRow(database: JournalKysely, { table, key, reason, row }: DamagedRow): Promise<void> {
  // As for sessions: one damaged number must not end the numbers.
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from quarantine where number < ${2 ** 52})`
  await database
    .insertInto('quarantine')
    .values({ number, table_name: table, row_key: key, reason, found_at: Date.now(), row_json: copyOf(row) })
    .onConflict(conflict => conflict.columns(['table_name', 'row_key', 'reason']).doNothing())
    .execute()
}

export async function countQuarantined(database: JournalKysely): Promise<number> {
  const { total } = await database
    .selectFrom('quarantine')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Text stays text. Integers and bytes that JSON cannot hold become objects, so that they can be restored. */
function copyOf(row: StoredRecord): string {
  const columns = Object.entries(row).map(([name, value]) => [name, wordFor(value)])
  return JSON.stringify(Object.fromEntries(columns))
}

function wordFor(value: StoredValue): unknown {
  if (typeof value === 'bigint') return { integer: String(value) }
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
}

const REASONS: Record<SkipReason, string> = {
  checksum: 'has changed since it was written: its checksum does not match',
  'not-json': 'is not JSON',
  'wrong-type': 'has the wrong type',
  missing: 'is missing',
  unreadable: 'is on a damaged page of the database',
}

/** One sentence for people, for the place where the events are left out. */
export function describeSkipped({ at, upTo, reason }: Pick<Skipped, 'at' | 'upTo' | 'reason'>): string {
  if (upTo === undefined || upTo <= at) return `Event ${at} ${REASONS[reason]}. It is left out.`
  return `Events ${at} to ${upTo} cannot be read: each ${REASONS[reason]}. They are left out.`
}
