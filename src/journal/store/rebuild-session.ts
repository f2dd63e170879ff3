// Rebuilds what a damaged row said about a session from the session's own events. Events carry a checksum
// each, so only what was really written is used.
import { CompiledQuery } from 'kysely'
import { asFields } from '../envelope.ts'
import { isCorrupt } from '../errors.ts'
import { MAX_SEQ, readEventRow } from './event-rows.ts'
import { readNote } from './notes.ts'
import type { JournalKysely } from './schema.ts'
import type { StoredRecord } from './sql-connection.ts'
import type { JournalEvent, Metadata, Replay } from './store.ts'

/** The values of a session's row that its events contain. */
export interface RebuiltSession {
  agent: string
  agentSessionId: string
  lastConnectionId: string
  cwd: string
  initJson: string | undefined
  createdAt: number
  restoredBy: string | undefined
  openTurns: number
  replay: Replay | undefined
}

/** The first events start the session; the last ones say what it is now. */
const FIRST = 20
const LAST = 200
const EVENT_COLUMNS =
  'session_id, seq, id, created_at, connection_id, sender, kind, checksum, cast(payload_json as blob) AS payload_json'
const STARTING: readonly string[] = ['session/new', 'session/load', 'session/resume']
const IDENTIFYING_KINDS: readonly string[] = [
  ...STARTING,
  'session/prompt',
  'response:session/new',
  'response:session/fork',
  'response:session/prompt',
  'error:session/prompt',
  'session/update:session_info_update',
  '_rethread/settled',
  '_rethread/prompt_taken',
  '_rethread/prompt_failed',
  '_rethread/restored',
  '_rethread/replayed',
  '_rethread/forked',
]

/** Undefined where the journal has no readable event of the session. */
export async function rebuildSession(database: JournalKysely, id: string): Promise<RebuiltSession | undefined> {
  const events = await readIdentifyingEvents(database, id)
  const [first] = events
  const last = events.at(-1)
  if (first === undefined || last === undefined) return undefined
  const init = initOf(events)
  return {
    agent: (await agentOf(database, events)) ?? UNKNOWN_AGENT,
    agentSessionId: agentSessionIdOf(events),
    lastConnectionId: last.connectionId,
    cwd: typeof init?.['cwd'] === 'string' ? init['cwd'] : '/',
    initJson: init === undefined ? undefined : JSON.stringify(init),
    createdAt: first.createdAt,
    restoredBy: lastRestored(events)?.rung,
    openTurns: openTurnsOf(events),
    replay: replayOf(events),
  }
}

/** No agent has this name, so nothing is sent to a wrong one. */
const UNKNOWN_AGENT = 'unknown'

/** The metadata that follows from the events: the agent's title, the parent of a fork, the last change. */
export async function rebuildMetadata(database: JournalKysely, id: string): Promise<Metadata> {
  const events = await readIdentifyingEvents(database, id)
  const forked = events.findLast(({ kind }) => kind === '_rethread/forked')
  const fork = forked === undefined ? undefined : readNote('_rethread/forked', forked.envelope)
  const title = events
    .filter(({ kind }) => kind === 'session/update:session_info_update')
    .map(({ envelope }) => asFields(asFields(paramsOf(envelope))['update'])['title'])
    .findLast(found => typeof found === 'string')
  const updatedAt = events.at(-1)?.createdAt
  return {
    ...(typeof title === 'string' ? { agentTitle: title } : {}),
    ...(fork === undefined ? {} : { parent: fork.from, forkedUpTo: forked?.seq }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  }
}

/** Ids that have events and no row of their own, in the order of the ids. */
export async function listOrphans(database: JournalKysely): Promise<string[]> {
  // Jumps from one id to the next in the index, instead of reading every event.
  const rows = await query(
    database,
    `WITH RECURSIVE ids(id) AS (
       SELECT min(session_id) FROM events
       UNION ALL
       SELECT (SELECT min(session_id) FROM events WHERE session_id > ids.id) FROM ids WHERE ids.id IS NOT NULL
     )
     SELECT id FROM ids WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM sessions)`,
    [],
  )
  return rows.map(({ id }) => id).filter(id => typeof id === 'string')
}

async function readIdentifyingEvents(database: JournalKysely, id: string): Promise<JournalEvent[]> {
  const base = `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND seq BETWEEN 1 AND ?`
  const marks = IDENTIFYING_KINDS.map(() => '?').join(', ')
  const rows = [
    ...(await query(database, `${base} ORDER BY seq LIMIT ${FIRST}`, [id, MAX_SEQ])),
    ...(await query(database, `${base} AND kind IN (${marks}) ORDER BY seq DESC LIMIT ${LAST}`, [
      id,
      MAX_SEQ,
      ...IDENTIFYING_KINDS,
    ])),
    ...(await query(database, `${base} ORDER BY seq DESC LIMIT ${FIRST}`, [id, MAX_SEQ])),
  ]
  const events = new Map<number, JournalEvent>()
  for (const row of rows) {
    const read = readEventRow(row)
    if ('event' in read) events.set(read.event.seq, read.event)
  }
  return [...events.values()].sort((a, b) => a.seq - b.seq)
}

/** Rows on damaged pages are left out: the others are still useful. */
async function query(database: JournalKysely, sql: string, values: unknown[]): Promise<StoredRecord[]> {
  try {
    return (await database.executeQuery<StoredRecord>(CompiledQuery.raw(sql, values))).rows
  } catch (error) {
    if (isCorrupt(error)) return []
    throw error
  }
}

/** The connections know their agents. */
async function agentOf(database: JournalKysely, events: readonly JournalEvent[]): Promise<string | undefined> {
  for (const id of new Set(events.map(({ connectionId }) => connectionId))) {
    const [row] = await query(database, 'SELECT agent FROM connections WHERE id = ?', [id])
    if (typeof row?.['agent'] === 'string') return row['agent']
  }
  return undefined
}

function initOf(events: readonly JournalEvent[]): Record<string, unknown> | undefined {
  const started = events.find(({ kind, sender }) => sender === 'client' && STARTING.includes(kind))
  if (started === undefined) return undefined
  const { sessionId: _, ...init } = asFields(paramsOf(started.envelope))
  return init
}

/** The agent's own id is in every answer to a start and in every prompt. */
function agentSessionIdOf(events: readonly JournalEvent[]): string {
  for (const { kind, sender, envelope } of events.toReversed()) {
    const restored = kind === '_rethread/restored' ? readNote('_rethread/restored', envelope)?.to : undefined
    const id = kind.startsWith('response:session/')
      ? asFields(asFields(envelope)['result'])['sessionId']
      : kind === 'session/prompt' && sender === 'client'
        ? asFields(paramsOf(envelope))['sessionId']
        : restored
    if (typeof id === 'string') return id
  }
  return ''
}

function openTurnsOf(events: readonly JournalEvent[]): number {
  let open = 0
  for (const { kind } of events) {
    if (kind === 'session/prompt') open++
    else if (kind === '_rethread/prompt_taken') open = Math.max(open, 1)
    else if (kind === '_rethread/settled' || kind === '_rethread/prompt_failed') open = 0
    else if (kind === 'response:session/prompt' || kind === 'error:session/prompt') open = Math.max(0, open - 1)
  }
  return open
}

function lastRestored(events: readonly JournalEvent[]) {
  const found = events.findLast(({ kind }) => kind === '_rethread/restored')
  return found === undefined ? undefined : readNote('_rethread/restored', found.envelope)
}

/** Due after a restore by replay, until a prompt that carried it was answered. */
function replayOf(events: readonly JournalEvent[]): Replay | undefined {
  const at = events.findLastIndex(({ kind }) => kind === '_rethread/restored')
  if (at === -1 || lastRestored(events)?.rung !== 'replay') return undefined
  const since = events.slice(at)
  const carried = since.findIndex(({ kind }) => kind === '_rethread/replayed')
  const upTo = (events[at]?.seq ?? 1) - 1
  if (carried === -1) return { state: 'pending', upTo }
  const isAnswered = since.slice(carried).some(({ kind }) => kind === 'response:session/prompt')
  return isAnswered ? undefined : { state: 'sent', upTo }
}

function paramsOf(envelope: unknown): unknown {
  return asFields(envelope)['params']
}
