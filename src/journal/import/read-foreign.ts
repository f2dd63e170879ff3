// Reads a database with the tables of the server that rethread can replace, or of its SDK: sessions, events
// and metadata. The SDK stores ACP messages in the order of `event_index`. The server has no such column, and
// stores the messages that its clients see. Nothing is written to it.
import { parseJson } from '../../bytes/json.ts'
import { asFields } from '../envelope.ts'
import type { SqlConnection, StoredRecord } from '../store/sql-connection.ts'
import type { Metadata, NewSession, Sender } from '../store/store.ts'

export interface ForeignEvent {
  id: string
  createdAt: number
  connectionId: string
  sender: Sender
  payload: unknown
}

export interface ForeignSession {
  session: NewSession
  destroyedAt: number | undefined
  metadata: Metadata
  events: ForeignEvent[]
  /** Rows that hold no message. */
  skipped: number
}

const TABLES: Record<string, readonly string[]> = {
  sessions: ['id', 'agent', 'agent_session_id', 'last_connection_id', 'created_at', 'session_init_json'],
  events: ['id', 'session_id', 'created_at', 'connection_id', 'sender', 'payload_json'],
}

/** Whether the tables are those of that server or SDK, and not a journal of rethread. */
export function hasForeignTables(connection: SqlConnection): boolean {
  const isThere = Object.entries(TABLES).every(([table, columns]) => {
    const found = columnsOf(connection, table)
    return columns.every(name => found.has(name))
  })
  return isThere && !columnsOf(connection, 'events').has('seq')
}

export function* readForeign(connection: SqlConnection): Generator<ForeignSession, void, void> {
  const hasIndex = columnsOf(connection, 'events').has('event_index')
  const order = hasIndex ? 'event_index, rowid' : 'created_at, rowid'
  const hasMetadata = columnsOf(connection, 'opencode_session_metadata').size > 0
  for (const row of connection.run('SELECT * FROM sessions ORDER BY created_at, id', []).rows) {
    const { id, agent } = row
    if (typeof id !== 'string' || typeof agent !== 'string') continue
    const sql = `SELECT * FROM events WHERE session_id = ? ORDER BY ${order}`
    const rows = connection.run(sql, [id]).rows
    const events = rows.map(readEvent).filter(event => event !== undefined)
    const stored = hasMetadata ? storedMetadata(connection, id) : {}
    yield {
      session: readSession(row, { id, agent, stored, isOfSdk: hasIndex }),
      destroyedAt: typeof row['destroyed_at'] === 'number' ? row['destroyed_at'] : undefined,
      metadata: readMetadata(stored),
      events,
      skipped: rows.length - events.length,
    }
  }
}

function readSession(
  row: StoredRecord,
  { id, agent, stored, isOfSdk }: { id: string; agent: string; stored: Record<string, unknown>; isOfSdk: boolean },
): NewSession {
  const init = parsed(row['session_init_json'])
  const folder = [stored['directory'], asFields(init)['cwd']].find(name => typeof name === 'string' && name !== '')
  const cwd = typeof folder === 'string' ? folder : '/'
  return {
    id,
    agent,
    // The server makes its ids up; those of the SDK are the agent's own, so the agent can load them.
    agentSessionId: isOfSdk ? textOf(row['agent_session_id']) : '',
    lastConnectionId: textOf(row['last_connection_id']),
    cwd,
    initJson: JSON.stringify({ mcpServers: [], ...asFields(init), cwd }),
    ...(typeof row['created_at'] === 'number' ? { createdAt: row['created_at'] } : {}),
  }
}

const METADATA: Record<string, string> = {
  title: 'title',
  parent_id: 'parent',
  permission_mode: 'permissionMode',
  provider_id: 'providerID',
  model_id: 'modelID',
  updated_at: 'updatedAt',
}

function readMetadata(stored: Record<string, unknown>): Metadata {
  const known = Object.entries(METADATA).flatMap(([theirs, ours]) => {
    const value = stored[theirs]
    return value === undefined || value === null ? [] : [[ours, value] as const]
  })
  // Clients know the session under its id.
  return { ...Object.fromEntries(known), isGivenId: true }
}

function storedMetadata(connection: SqlConnection, id: string): Record<string, unknown> {
  const sql = 'SELECT metadata_json FROM opencode_session_metadata WHERE session_id = ?'
  return asFields(parsed(connection.run(sql, [id]).rows[0]?.['metadata_json']))
}

function readEvent(row: StoredRecord): ForeignEvent | undefined {
  const { id, created_at, connection_id, sender } = row
  const payload = parsed(row['payload_json'])
  if (payload === undefined || (sender !== 'client' && sender !== 'agent')) return undefined
  return {
    id: textOf(id),
    createdAt: typeof created_at === 'number' ? created_at : 0,
    connectionId: textOf(connection_id),
    sender,
    payload,
  }
}

function parsed(text: unknown): unknown {
  return typeof text === 'string' ? parseJson(Buffer.from(text)) : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function columnsOf(connection: SqlConnection, table: string): Set<string> {
  return new Set(connection.run('SELECT name FROM pragma_table_info(?)', [table]).rows.map(({ name }) => String(name)))
}
