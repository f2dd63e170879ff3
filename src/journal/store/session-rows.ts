// Converts a session to a row and back.
import type { Updateable } from 'kysely'
import { wrongUse } from '../errors.ts'
import type { SessionsTable } from './schema.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { JournalSession, NewSession, ReplayState, SessionChange, SessionKind, SkipReason } from './store.ts'

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
    kind: session.kind ?? 'conversation',
    open_turns: 0,
    replay_state: null,
    replay_up_to: null,
  }
}

export function makeSessionUpdate(change: SessionChange): Updateable<SessionsTable> {
  if (typeof change.initJson === 'string') assertJson(change.initJson)
  const columns = {
    agent: change.agent,
    agent_session_id: change.agentSessionId,
    last_connection_id: change.lastConnectionId,
    cwd: change.cwd,
    session_init_json: change.initJson,
    destroyed_at: change.destroyedAt,
    restored_by: change.restoredBy,
    open_turns: change.openTurns,
    ...replayColumns(change.replay),
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

function replayColumns(replay: SessionChange['replay']): Updateable<SessionsTable> {
  if (replay === undefined) return {}
  return { replay_state: replay?.state ?? null, replay_up_to: replay?.upTo ?? null }
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
    kind: row.kind,
    openTurns: row.open_turns,
    replay: row.replay_state === null ? undefined : { state: row.replay_state, upTo: row.replay_up_to ?? 0 },
  }
  return { session }
}

type CheckedRow = Omit<SessionsTable, 'number' | 'kind' | 'replay_state'> & {
  number: number
  kind: SessionKind
  replay_state: ReplayState | null
}

function isSessionRow(row: StoredRecord): row is StoredRecord & CheckedRow {
  const texts = [row['id'], row['agent'], row['agent_session_id'], row['last_connection_id'], row['cwd']]
  const numbers = [row['number'], row['created_at'], row['open_turns']]
  return (
    texts.every(value => typeof value === 'string') &&
    numbers.every(value => typeof value === 'number' && Number.isInteger(value) && value >= 0) &&
    (row['destroyed_at'] === null || typeof row['destroyed_at'] === 'number') &&
    [row['session_init_json'], row['restored_by']].every(value => value === null || typeof value === 'string') &&
    (row['kind'] === 'conversation' || row['kind'] === 'connection') &&
    (row['replay_state'] === null || row['replay_state'] === 'pending' || row['replay_state'] === 'sent') &&
    (row['replay_up_to'] === null || typeof row['replay_up_to'] === 'number')
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
  if (!isJson(text)) throw wrongUse('The start parameters of a session must be JSON.')
}
