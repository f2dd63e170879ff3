// A session as a row and back.
import type { Updateable } from 'kysely'
import type { StoredRecord } from '../disk/journal-connection.ts'
import { wrongUse } from './errors.ts'
import type { SessionsTable } from './schema.ts'
import type { JournalSession, NewSession, SessionChange, SkipReason } from './store.ts'

export function makeSessionRow(session: NewSession): Omit<SessionsTable, 'number'> {
  if (session.initJson !== undefined) assertJson(session.initJson)
  return {
    id: session.id,
    agent: session.agent,
    agent_session_id: session.agentSessionId,
    last_connection_id: session.lastConnectionId,
    created_at: session.createdAt ?? Date.now(),
    destroyed_at: null,
    session_init_json: session.initJson ?? null,
    cwd: session.cwd,
    restored_by: null,
  }
}

export function makeSessionUpdate(change: SessionChange): Updateable<SessionsTable> {
  if (typeof change.initJson === 'string') assertJson(change.initJson)
  const columns = {
    agent_session_id: change.agentSessionId,
    last_connection_id: change.lastConnectionId,
    cwd: change.cwd,
    session_init_json: change.initJson,
    destroyed_at: change.destroyedAt,
    restored_by: change.restoredBy,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

export type ReadSession = { session: JournalSession } | { reason: SkipReason }

export function readSessionRow(row: StoredRecord): ReadSession {
  if (!isSessionRow(row)) return { reason: 'wrong-type' }
  if (row.session_init_json !== null && !isJson(row.session_init_json)) return { reason: 'not-json' }
  const session = {
    number: row.number,
    id: row.id,
    agent: row.agent,
    agentSessionId: row.agent_session_id,
    lastConnectionId: row.last_connection_id,
    cwd: row.cwd,
    initJson: row.session_init_json ?? undefined,
    createdAt: row.created_at,
    destroyedAt: row.destroyed_at ?? undefined,
    restoredBy: row.restored_by ?? undefined,
  }
  return { session }
}

type CheckedRow = Omit<SessionsTable, 'number'> & { number: number }

function isSessionRow(row: StoredRecord): row is StoredRecord & CheckedRow {
  const texts = [row['id'], row['agent'], row['agent_session_id'], row['last_connection_id'], row['cwd']]
  const numbers = [row['number'], row['created_at']]
  return (
    texts.every(value => typeof value === 'string') &&
    numbers.every(value => typeof value === 'number' && Number.isInteger(value) && value >= 0) &&
    (row['destroyed_at'] === null || typeof row['destroyed_at'] === 'number') &&
    [row['session_init_json'], row['restored_by']].every(value => value === null || typeof value === 'string')
  )
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function assertJson(text: string): void {
  if (!isJson(text)) throw wrongUse('What a session was begun with has to be JSON.')
}
