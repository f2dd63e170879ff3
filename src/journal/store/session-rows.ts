// Converts a session to a row and back.
import type { Updateable } from 'kysely'
import { wrongUse } from '../errors.ts'
import type { RebuiltSession } from './rebuild-session.ts'
import type { SessionsTable } from './schema.ts'
import type { StoredRecord, StoredValue } from './sql-connection.ts'
import type { JournalSession, NewSession, ReplayState, SessionChange, SessionKind } from './store.ts'

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

function replayColumns(
  replay: SessionChange['replay'],
): Pick<Updateable<SessionsTable>, 'replay_state' | 'replay_up_to'> {
  if (replay === undefined) return {}
  return { replay_state: replay?.state ?? null, replay_up_to: replay?.upTo ?? null }
}

/** What a row says. `bad` names the columns that hold something else than they should. */
export interface SessionRowValues {
  number: number
  id: string
  values: Omit<JournalSession, 'number' | 'id' | 'kind' | 'rebuilt'>
  kind: SessionKind | undefined
  bad: string[]
}

const isText = (value: StoredValue): value is string => typeof value === 'string'
const isCount = (value: StoredValue): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0
/** A later time is damage, and most programs cannot show it. */
const LAST_TIME = Date.UTC(2200, 0)
export const isTime = (value: StoredValue): value is number => isCount(value) && value < LAST_TIME
const isReplayState = (value: StoredValue): value is ReplayState => value === 'pending' || value === 'sent'
const isKind = (value: StoredValue): value is SessionKind => value === 'conversation' || value === 'connection'

/** Undefined where not even the id can be read. */
export function readSessionRow(row: StoredRecord): SessionRowValues | undefined {
  const { id } = row
  if (typeof id !== 'string') return undefined
  const bad: string[] = []
  const getIfThere = <T extends StoredValue>(name: string, isValid: (value: StoredValue) => value is T) => {
    const value = row[name] ?? null
    if (value === null || isValid(value)) return value ?? undefined
    bad.push(name)
    return undefined
  }
  const get = <T extends StoredValue>(name: string, isValid: (value: StoredValue) => value is T) => {
    if ((row[name] ?? null) === null) bad.push(name)
    return getIfThere(name, isValid)
  }
  const state = getIfThere('replay_state', isReplayState)
  const upTo = getIfThere('replay_up_to', isCount) ?? 0
  const values = {
    agent: get('agent', isText) ?? '',
    agentSessionId: get('agent_session_id', isText) ?? '',
    lastConnectionId: get('last_connection_id', isText) ?? '',
    cwd: get('cwd', isText) ?? '',
    initJson: getIfThere('session_init_json', isJsonText),
    createdAt: get('created_at', isTime) ?? 0,
    destroyedAt: getIfThere('destroyed_at', isTime),
    restoredBy: getIfThere('restored_by', isText),
    openTurns: get('open_turns', isCount) ?? 0,
    replay: state === undefined ? undefined : { state, upTo },
  }
  const kind = get('kind', isKind)
  return { number: Number(row['number']), id, values, kind, bad }
}

/** Takes the values of the bad columns from the events. */
export function withRebuilt(
  { number, id, values, bad }: SessionRowValues,
  kind: SessionKind,
  events: RebuiltSession | undefined,
): JournalSession {
  const session: JournalSession = { ...values, number, id, kind }
  if (bad.length === 0) return session
  const known = bad.flatMap(name => Object.entries(valueFor(name, events)))
  return { ...session, ...Object.fromEntries(known), rebuilt: bad }
}

function valueFor(column: string, events: RebuiltSession | undefined): Partial<JournalSession> {
  if (events === undefined) return {}
  switch (column) {
    case 'agent':
      return { agent: events.agent }
    case 'agent_session_id':
      return { agentSessionId: events.agentSessionId }
    case 'last_connection_id':
      return { lastConnectionId: events.lastConnectionId }
    case 'cwd':
      return { cwd: events.cwd }
    case 'session_init_json':
      return { initJson: events.initJson }
    case 'created_at':
      return { createdAt: events.createdAt }
    case 'restored_by':
      return { restoredBy: events.restoredBy }
    case 'open_turns':
      return { openTurns: events.openTurns }
    case 'replay_state':
    case 'replay_up_to':
      return { replay: events.replay }
    default:
      return {}
  }
}

/** A row for a session that has events and no row. */
export function makeRebuiltRow(id: string, events: RebuiltSession): Omit<SessionsTable, 'number'> {
  const { agent, agentSessionId, lastConnectionId, cwd, createdAt, initJson } = events
  const session = { id, agent, agentSessionId, lastConnectionId, cwd, createdAt }
  return {
    ...makeSessionRow(initJson === undefined ? session : { ...session, initJson }),
    restored_by: events.restoredBy ?? null,
    open_turns: events.openTurns,
    ...replayColumns(events.replay ?? null),
  }
}

function isJsonText(value: StoredValue): value is string {
  return typeof value === 'string' && isJson(value)
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
