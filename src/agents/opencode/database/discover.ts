// The sessions of each database, with what a cheap query gives: title, folder, number of messages, and an
// identity that changes with every write.
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { FileIdentity } from '../../../disk/files/read.ts'
import { identityOf, statPath } from '../../../disk/files/read.ts'
import { fromSqliteError, isCorruption } from '../../../disk/sqlite/errors.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { databaseMark } from '../../../disk/sqlite/read-database.ts'
import { failureOf } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DiscoverOptions, Found, Location } from '../../store.ts'
import type { KnownTables } from '../../stores/known-tables.ts'
import { listDatabase } from '../../stores/list-database.ts'
import { asNumber, present } from '../../stores/values.ts'
import { AGENT, databasesIn } from '../places.ts'
import { asMillis, infoFromRow, ownTitle, SESSION_COLUMNS, worktreeOf } from '../session-info.ts'
import { FILLS } from './events.ts'
import { columnsOf, NEWER_MESSAGES, sessionTables } from './rows.ts'

export const DATABASE = 'database'

/** Columns without which the rows of a table cannot be read. */
const ROW = ['id', 'session_id', 'data']
const TABLES: KnownTables = {
  conversations: { session: ['id'], message: ROW, part: ['id', 'message_id', 'data'], [NEWER_MESSAGES]: ROW },
  others: ['session_input', 'session_context_epoch', 'session_share'],
}

export async function* discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  for (const path of databasesIn(location)) {
    try {
      const list = (database: Database) => sessionsIn(database, location)
      // Plugins store their own databases in the same folder, under similar names.
      const tables = { ...TABLES, mayBeForeign: basename(path) !== 'opencode.db' }
      const listable = { agent: AGENT, path, storeRoot: location.root, list, tables, fills: FILLS }
      const { value, failures } = await listDatabase(listable, options)
      yield* failures
      yield* value
    } catch (error) {
      yield { type: 'failure', failure: failureOf(AGENT, error, path) }
    }
  }
}

function sessionsIn(database: Database, location: Location): Found[] {
  const { tally, failures } = tallyRows(database)
  const file = identityOf(statPath(database.path))
  const found = (sessionId: string, row: Row | undefined): Found => ({
    type: 'session',
    session: sessionRef(database, location, sessionId, row, tally, file),
  })
  const isSaid = (own: Tally | undefined): boolean => (own?.messages ?? 0) + (own?.newer ?? 0) > 0
  // What an unknown table says of a session counts only if its messages are known.
  const isKnown = (row: Row): boolean => row['is_known'] === 1 || isSaid(tally?.get(String(row['id'])))
  const rows = new Map(
    sessionRows(database)
      .filter(isKnown)
      .map(row => [String(row['id']), row]),
  )
  const orphans = [...(tally?.keys() ?? [])].filter(id => !rows.has(id) && isSaid(tally?.get(id)))
  return [...failures, ...[...rows].map(([id, row]) => found(id, row)), ...orphans.map(id => found(id, undefined))]
}

function sessionRows(database: Database): Row[] {
  // A session in two tables is listed from the first.
  return sessionTables(database)
    .toReversed()
    .flatMap(table => {
      const hasProjects = database.columns('project').has('worktree') && database.columns(table).has('project_id')
      const join = hasProjects ? `LEFT JOIN project ON project.id = ${table}.project_id` : ''
      const worktree = hasProjects ? 'project.worktree' : 'NULL'
      const columns = columnsOf(database, table, SESSION_COLUMNS)
      return database.all(
        `SELECT ${table}.id AS id, ${columns}, ${worktree} AS worktree, ${table === 'session'} AS is_known FROM ${table} ${join}`,
      )
    })
}

function sessionRef(
  database: Database,
  location: Location,
  sessionId: string,
  row: Row | undefined,
  tally: Map<string, Tally> | undefined,
  file: FileIdentity,
): SessionRef {
  const info = infoFromRow(row ?? {})
  const own = tally === undefined ? undefined : (tally.get(sessionId) ?? { ...NOTHING })
  // For a session with a reverted branch or with rows of newer versions, only reading shows the messages.
  const isCounted = info.revert === undefined && own !== undefined && own.newer === 0
  return {
    agent: AGENT,
    sessionId,
    filePath: database.path,
    generation: DATABASE,
    storeRoot: location.root,
    updatedAt: Math.max(info.updatedAt ?? 0, own?.changedAt ?? 0) || file.mtimeMs,
    fileSize: file.size,
    identity: own === undefined ? databaseMark(database.path) : hash([row, own]),
    ...present<Pick<SessionRef, 'title' | 'project' | 'messageCount' | 'subagentOf'>>({
      title: ownTitle(info),
      project: info.directory ?? worktreeOf(info.projectId, row?.['worktree']),
      messageCount: isCounted ? own.messages : undefined,
      subagentOf: info.parentId,
    }),
  }
}

function hash(records: (object | undefined)[]): string {
  const values = records.flatMap(record => Object.entries(record ?? {}).map(([name, value]) => `${name}=${value}`))
  return createHash('sha256').update(values.join('\n')).digest('hex')
}

/**
 * Totals of one session, without reading its content. Any added, changed or removed message or part changes
 * one of them.
 */
interface Tally {
  messages: number
  parts: number
  /** Messages in the table of newer versions. */
  newer: number
  changedAt: number
  bytes: number
}

const NOTHING: Tally = { messages: 0, parts: 0, newer: 0, changedAt: 0, bytes: 0 }

/**
 * A damaged page among the messages must not hide the sessions. It is reported as a failure beside them,
 * without totals.
 */
function tallyRows(database: Database): { tally: Map<string, Tally> | undefined; failures: Found[] } {
  try {
    const tally = new Map<string, Tally>()
    addRows(database, 'message', 'messages', tally)
    addRows(database, 'part', 'parts', tally)
    addRows(database, NEWER_MESSAGES, 'newer', tally)
    return { tally, failures: [] }
  } catch (error) {
    if (!isCorruption(error)) throw error
    const failure = failureOf(AGENT, fromSqliteError(error, database.path), database.path)
    return { tally: undefined, failures: [{ type: 'failure', failure }] }
  }
}

function addRows(
  database: Database,
  table: string,
  name: 'messages' | 'parts' | 'newer',
  tally: Map<string, Tally>,
): void {
  const columns = database.columns(table)
  if (!columns.has('session_id') || !columns.has('data')) return
  const changedAt = columns.has('time_updated') ? 'max(time_updated)' : 'NULL'
  // SQLite has the byte length in the row's header, so the content is not read.
  const sql = `SELECT session_id, count(*) AS n, ${changedAt} AS changed_at, sum(octet_length(data)) AS bytes FROM ${table} GROUP BY session_id`
  for (const row of database.each(sql)) {
    const id = String(row['session_id'])
    const sum = tally.get(id) ?? { ...NOTHING }
    sum[name] += asNumber(row['n']) ?? 0
    sum.changedAt = Math.max(sum.changedAt, asMillis(row['changed_at']) ?? 0)
    sum.bytes += asNumber(row['bytes']) ?? 0
    tally.set(id, sum)
  }
}
