// The adapter for checks and repairs of sessions in the database: rows that OpenCode fails on, and the
// messages it would load.

import { parseJson } from '../../../bytes/json.ts'
import { type Database, databaseMark, readDatabase } from '../../../disk/sqlite/read-database.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DatabaseRepair, RowProblem } from '../../repair.ts'
import { databaseCompanions } from '../../stores/read-only-database.ts'
import { asObject, asString } from '../../stores/values.ts'
import { infoFromRow, type Revert } from '../session-info.ts'
import { type BadRow, badColumns, badMessages, badNewer, badParts, isRole, openCalls } from './bad-rows.ts'
import { FILLS } from './events.ts'
import { notInDatabase } from './read.ts'
import { repairColumn, repairMessage, repairPart, settleCall } from './row-repairs.ts'
import { dataOf, hasMessages, hasOlder, messageRows, messageTime, newerRows, partRows, sessionRow } from './rows.ts'

export const repair: DatabaseRepair = {
  framing: 'sqlite',
  isRepairable: true,
  companions: databaseCompanions,
  fills: FILLS,
  records: [
    { table: 'message', key: 'id', session: 'session_id', column: 'data' },
    { table: 'part', key: 'id', session: 'session_id', column: 'data' },
  ],
  async findBadRows(session) {
    return (await examine(session)).problems
  },
  async countMessages(session) {
    return (await examine(session)).loads
  },
}

interface Examined {
  problems: RowProblem[]
  loads: { now: number; afterRepair: number }
}

/** The rows are examined once for both questions. */
let last: { key: string; examined: Examined } | undefined

async function examine(session: SessionRef): Promise<Examined> {
  const key = `${session.filePath} ${databaseMark(session.filePath)} ${session.sessionId}`
  if (last?.key === key) return last.examined
  const examined = await readDatabase(session.filePath, session.storeRoot, database => examineRows(database, session))
  last = { key, examined }
  return examined
}

/** The content of each bad message after the repair. Undefined if it would be removed. */
type Repaired = Map<string, string | undefined>

function examineRows(database: Database, session: SessionRef): Examined {
  const { sessionId } = session
  const context = { database, sessionId }
  const row = sessionRow(database, sessionId)
  if (row === undefined && !hasMessages(database, sessionId)) throw notInDatabase(session)
  readNeededPages(database, sessionId)
  const info = infoFromRow(row ?? {})
  const columns = [
    ...badColumns(database, 'session', sessionId),
    ...(info.projectId === undefined ? [] : badColumns(database, 'project', info.projectId)),
  ]
  const messages = badMessages(database, sessionId).map(bad => ({ bad, repair: repairMessage(context, bad) }))
  const repaired: Repaired = new Map(messages.map(({ bad, repair }) => [bad.id, repair.data]))
  const parts = badParts(database, sessionId)
    // The parts of a removed message are removed with it.
    .filter(({ messageId = '' }) => !repaired.has(messageId) || repaired.get(messageId) !== undefined)
    .map(bad => ({ bad, repair: repairPart(context, bad) }))
  const newer = badNewer(database, sessionId)
  // Beside older messages, OpenCode loads those.
  const stopsNewer = newer.length > 0 && messageRows(database, sessionId).next().done === true
  const problems = [
    ...(row === undefined ? [lostRow(sessionId)] : []),
    ...newer.map(bad => ({ ...problemOf(bad, []), refused: NEWER_REFUSED })),
    ...columns.map(bad => problemOf(bad, [repairColumn(context, bad)])),
    ...[...messages, ...parts].map(({ bad, repair }) => problemOf(bad, repair.changes)),
    ...unsettled(database, sessionId),
  ]
  const isFatal =
    row === undefined ||
    stopsNewer ||
    [...columns, ...[...messages, ...parts].map(({ bad }) => bad)].some(bad => bad.isFatal)
  const afterRepair = row === undefined ? 0 : countMessages(database, sessionId, info.revert, repaired)
  // A row of the newer table stays as it is, so that a repair of the others does not help.
  const after = stopsNewer ? 0 : afterRepair
  return { problems, loads: { now: isFatal ? 0 : after, afterRepair: after } }
}

const NEWER_REFUSED =
  'Rows of session_message are left unchanged: only OpenCode knows how to write them. Everything else can be read with rethread show.'

/** Counts as the reader does: without the reverted part. */
function countMessages(database: Database, sessionId: string, revert: Revert | undefined, repaired: Repaired): number {
  const role = "CASE WHEN json_valid(data) THEN json_extract(data, '$.role') END"
  const sql = `SELECT id, ${role} AS role FROM message WHERE session_id = ? ORDER BY ${messageTime(database)}, id`
  let count = 0
  const rows = hasOlder(database) ? database.each(sql, sessionId) : []
  for (const row of rows) {
    const id = String(row['id'])
    const isTakenBack = id === revert?.messageId
    if (isTakenBack && !keepsParts(database, id, revert?.partId)) return count
    const data = repaired.get(id)
    const isThere = data !== undefined ? isRole(asObject(parseJson(Buffer.from(data)))?.['role']) : isRole(row['role'])
    if (isThere && (data !== undefined || !repaired.has(id))) count++
    if (isTakenBack) return count
  }
  return count + countNewer(database, sessionId, revert)
}

/** The types that are messages. The others say what happened. */
const NEWER_TYPES = new Set(['user', 'synthetic', 'assistant', 'shell'])

/** A revert keeps the message itself. */
function countNewer(database: Database, sessionId: string, revert: Revert | undefined): number {
  let count = 0
  for (const row of newerRows(database, sessionId)) {
    if (row['is_repeat'] === 1) continue
    const value = NEWER_TYPES.has(String(row['type'])) ? dataOf(row) : undefined
    if (value !== undefined) count++
    if (row['id'] === revert?.messageId) break
  }
  return count
}

/** Whether any part remains of the message that the person reverted to. */
function keepsParts(database: Database, messageId: string, partId: string | undefined): boolean {
  if (partId === undefined) return false
  const ids = partRows(database, messageId).map(row => String(row['id']))
  return ids.length > 0 && ids[0] !== partId
}

function problemOf(bad: BadRow, changes: RowProblem['changes']): RowProblem {
  const what = bad.column === 'data' ? `The ${bad.table} ${bad.id}` : `${bad.column} of the ${bad.table} ${bad.id}`
  const harm = bad.isFatal ? 'OpenCode fails on every use of the session' : 'OpenCode skips it'
  return {
    kind: 'unreadable',
    table: bad.table,
    row: bad.id,
    text: `${what} holds ${describe(bad)}: ${harm}.`,
    changes,
  }
}

function describe({ stored, bytes }: BadRow): string {
  if (stored === null) return 'nothing'
  if (bytes.length === 0) return 'an empty text'
  return stored instanceof Uint8Array ? 'bytes instead of text' : 'no usable JSON'
}

function lostRow(sessionId: string): RowProblem {
  return {
    kind: 'unreadable',
    table: 'session',
    row: sessionId,
    text: 'The row of the session is gone, with its title and folder, so OpenCode does not find the session.',
    changes: [],
    refused: 'Rows are only changed or removed, never added; its messages can still be read with rethread show.',
  }
}

function unsettled(database: Database, sessionId: string): RowProblem[] {
  return openCalls(database, sessionId).flatMap(call => {
    const change = settleCall({ database, sessionId }, call)
    if (change === undefined) return []
    return {
      kind: 'unsettled',
      table: 'part',
      row: call.id,
      text: `A call of ${call.tool} is still ${call.status}, although no process is running it. Providers refuse a call without a result.`,
      changes: [change],
    }
  })
}

// The places in the database that OpenCode needs to continue a session. A damaged page there stops it, even
// if every message can be read. Measured by damaging each page of a database in turn and continuing with the
// real agent.

/** Old pages of `event` do not stop it, nor do pages of `todo` or `session_message`. */
const WRITTEN = ['session', 'message', 'part', 'event', 'event_sequence']
const SEARCHED_INDEXES = ['todo_session_idx', 'session_message_session_seq_idx']
/** The columns by which rows of a session are found. Other columns hold growing ids: new ones come last. */
const OF_SESSION = new Set(['session_id', 'aggregate_id'])

/** Throws SQLite's error for a damaged page. */
function readNeededPages(database: Database, sessionId: string): void {
  for (const table of WRITTEN.filter(name => database.hasTable(name)))
    database.all(`SELECT max(rowid) FROM ${table} NOT INDEXED`)
  for (const row of database.all("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'")) {
    const index = { name: String(row['name']), table: String(row['tbl_name']) }
    if (WRITTEN.includes(index.table) || SEARCHED_INDEXES.includes(index.name)) touchIndex(database, index, sessionId)
  }
  if (database.hasTable('event_sequence'))
    database.all('SELECT * FROM event_sequence WHERE aggregate_id = ?', sessionId)
  if (database.columns('migration').has('id')) database.all('SELECT id FROM migration')
}

function touchIndex(database: Database, { name, table }: { name: string; table: string }, sessionId: string): void {
  const [first] = database.all('SELECT name FROM pragma_index_info(?) WHERE seqno = 0', name)
  const column = asString(first?.['name'])
  // The parent of a session never changes and is not searched for when it continues.
  if (column === undefined || column === 'parent_id') return
  const from = `FROM ${table} INDEXED BY "${name.replaceAll('"', '""')}"`
  if (OF_SESSION.has(column)) database.all(`SELECT count(*) ${from} WHERE ${column} = ?`, sessionId)
  else database.all(`SELECT max(${column}) ${from}`)
}
