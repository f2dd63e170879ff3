// The tables, as types for kysely. Readers check the values, since a damaged row may hold others.
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
  /** The order of creation. Clocks can go backwards. */
  number: Generated<number>
  id: string
  agent: string
  agent_session_id: string
  last_connection_id: string
  /** In milliseconds, like all times here. */
  created_at: number
  destroyed_at: number | null
  session_init_json: string | null
  cwd: string
  /** The name of the last restore strategy. */
  restored_by: string | null
  /**
   * `conversation`, or `connection` for events that belong to no conversation: the start of a connection,
   * invalid lines.
   */
  kind: string
  /** Prompts without an answer. */
  open_turns: number
  /**
   * `pending`: the next prompt carries the replay up to `replay_up_to`. `sent`: a prompt carried it and was
   * not answered yet.
   */
  replay_state: string | null
  replay_up_to: number | null
}

/** An agent's process, and the rethread that talks to it. It decides who may write to a session. */
export interface ConnectionsTable {
  id: string
  agent: string
  began_at: number
  ended_at: number | null
  /** The rethread process. A process is identified by its number and its start time. */
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
  /** The bytes of the envelope. Stored as text, so that a person can read the database. */
  payload_json: Uint8Array
  /** CRC-32 over the whole row. */
  checksum: number
}

export interface MetadataTable {
  session_id: string
  metadata_json: string
}

export interface QuarantineTable {
  number: Generated<number>
  table_name: string
  /** A stable name of the row. */
  row_key: string
  reason: string
  found_at: number
  /** The row as found. Bytes are in base64. */
  row_json: string
}
