// The tables, as kysely knows them. What a damaged row may hold instead is found by whoever reads it.
import type { Generated, Kysely } from 'kysely'

export interface JournalTables {
  sessions: SessionsTable
  events: EventsTable
  opencode_session_metadata: MetadataTable
  quarantine: QuarantineTable
}

export type JournalKysely = Kysely<JournalTables>

export interface SessionsTable {
  /** The order in which sessions were made; clocks go backwards. */
  number: Generated<number>
  id: string
  agent: string
  agent_session_id: string
  last_connection_id: string
  /** Milliseconds, like all times here. */
  created_at: number
  destroyed_at: number | null
  session_init_json: string | null
  cwd: string
  /** By which way it was last restored, in the words of whoever restores. */
  restored_by: string | null
}

export interface EventsTable {
  session_id: string
  /** 1, 2, 3 … in each session, without gaps. */
  seq: number
  id: string
  created_at: number
  connection_id: string
  sender: string
  kind: string
  /** The envelope's own bytes. Text, for whoever looks into the database by hand. */
  payload_json: Uint8Array
  /** CRC-32 over all of the row. */
  checksum: number
}

export interface MetadataTable {
  session_id: string
  metadata_json: string
}

export interface QuarantineTable {
  number: Generated<number>
  table_name: string
  /** Which row of the table, in its own words. */
  row_key: string
  reason: string
  found_at: number
  /** The row as it was found; what is not text in base64. */
  row_json: string
}
