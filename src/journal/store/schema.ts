// The tables, as kysely knows them. What a damaged row may hold instead is found by whoever reads it.
import type { Generated, Kysely } from 'kysely'

export interface JournalTables {
  sessions: SessionsTable
  events: EventsTable
  connections: ConnectionsTable
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
  /** `conversation`, or `connection` for what belongs to no conversation: how a connection began, lines that were no messages. */
  kind: string
  /** Prompts that have not been answered yet. */
  open_turns: number
  /** `pending`: the next prompt has to tell the agent what was said up to `replay_up_to`; `sent`: one has, and was not answered yet. */
  replay_state: string | null
  replay_up_to: number | null
}

/** An agent's process, and the rethread that talks to it: who may write to which session. */
export interface ConnectionsTable {
  id: string
  agent: string
  began_at: number
  ended_at: number | null
  /** Of rethread. A process is known by its number and when it began. */
  owner_pid: number
  owner_began: string
  agent_pid: number | null
  agent_began: string | null
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
