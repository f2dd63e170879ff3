// Damaged rows are copied aside, with the reason, as they were found. The row itself stays where it is: nothing is ever deleted.

import type { JournalKysely } from './schema.ts'
import type { StoredRecord, StoredValue } from './sql-connection.ts'
import type { Skipped, SkipReason } from './store.ts'

export interface DamagedRow {
  table: 'sessions' | 'events' | 'opencode_session_metadata'
  /** Which row, in words that stay the same. */
  key: string
  reason: SkipReason
  row: StoredRecord
}

/** Copies a row aside and says whether that worked. */
export type Quarantine = (row: DamagedRow) => Promise<boolean>

/** What a reading left out; the row where there is one. */
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

/** Once for each row and reason, however often it is met. */
export async function quarantineRow(database: JournalKysely, { table, key, reason, row }: DamagedRow): Promise<void> {
  await database
    .insertInto('quarantine')
    .values({ table_name: table, row_key: key, reason, found_at: Date.now(), row_json: copyOf(row) })
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

/** Text as text; what JSON has no word for so that it can be told apart and put together again. */
function copyOf(row: StoredRecord): string {
  const columns = Object.entries(row).map(([name, value]) => [name, wordFor(value)])
  return JSON.stringify(Object.fromEntries(columns))
}

function wordFor(value: StoredValue): unknown {
  if (typeof value === 'bigint') return { integer: String(value) }
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
}
