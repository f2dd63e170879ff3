// What a client wanted remembered beside a session.

import { damagedRow } from '../errors.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { Quarantine } from './quarantine.ts'
import type { JournalKysely } from './schema.ts'
import type { Metadata, SkipReason } from './store.ts'

/** Undefined where nothing was ever set; a damaged row is an error. */
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
