// OpenCode's own event journal, beside its rows: a row has the content of the last event about it. Derived
// from the agent's source and seen in its databases.
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { asString } from '../../stores/values.ts'

/** An event with invalid JSON says nothing, and extracting a field from it would be an error. */
const DATA = "CASE WHEN json_valid(event.data) THEN event.data ELSE '{}' END"

/** The events that hold each kind of row. `without` are the fields that are columns of the row. */
const ROW_EVENTS = {
  message: { type: 'message.updated.*', at: '$.info', without: ['$.id', '$.sessionID'] },
  part: { type: 'message.part.updated.*', at: '$.part', without: ['$.id', '$.sessionID', '$.messageID'] },
}

/** The `data` of a row by the last event about it. Undefined if no event is left. */
export function lastData(
  database: Database,
  table: 'message' | 'part',
  sessionId: string,
  id: string,
): string | undefined {
  if (!hasEvents(database)) return undefined
  const { type, at, without } = ROW_EVENTS[table]
  const removed = without.map(path => `'${path}'`).join(', ')
  const sql = `SELECT json_remove(json_extract(${DATA}, '${at}'), ${removed}) AS data FROM event
    WHERE aggregate_id = ? AND type GLOB ? AND json_extract(${DATA}, '${at}.id') = ? ORDER BY seq DESC LIMIT 1`
  return asString(database.all(sql, sessionId, type, id)[0]?.['data'])
}

/** A field of the session by the last event about it, as JSON. */
export function lastSessionField(database: Database, sessionId: string, field: string): string | undefined {
  if (!hasEvents(database)) return undefined
  const sql = `SELECT json_extract(${DATA}, ?) AS field FROM event
    WHERE aggregate_id = ? AND (type GLOB 'session.updated.*' OR type GLOB 'session.created.*') ORDER BY seq DESC LIMIT 1`
  return asString(database.all(sql, `$.info.${field}`, sessionId)[0]?.['field'])
}

function hasEvents(database: Database): boolean {
  const columns = database.columns('event')
  return ['aggregate_id', 'seq', 'type', 'data'].every(name => columns.has(name))
}

/** Deleted data stays deleted: a message or part removed by a later event, and a deleted session. */
const removedLater = (type: string, field: string, id: string) => `EXISTS (SELECT 1 FROM event AS gone
  WHERE gone.aggregate_id = kept.aggregate_id AND gone.seq > kept.seq AND gone.type GLOB '${type}'
    AND json_extract(CASE WHEN json_valid(gone.data) THEN gone.data ELSE '{}' END, '${field}') = ${id})`

const eventValues = (type: string, at: string) => `(SELECT aggregate_id, seq, json_extract(${DATA}, '$.time') AS time,
  json_extract(${DATA}, '${at}') AS value FROM event WHERE ${type}) AS kept`

const field = (path: string) => `json_extract(value, '$.${path}')`

/** How OpenCode itself derives the row from an event. */
const SESSION: Record<string, string> = {
  id: field('id'),
  project_id: field('projectID'),
  workspace_id: field('workspaceID'),
  parent_id: field('parentID'),
  slug: field('slug'),
  directory: field('directory'),
  path: field('path'),
  title: field('title'),
  agent: field('agent'),
  model: field('model'),
  version: field('version'),
  share_url: field('share.url'),
  summary_additions: field('summary.additions'),
  summary_deletions: field('summary.deletions'),
  summary_files: field('summary.files'),
  summary_diffs: field('summary.diffs'),
  metadata: field('metadata'),
  cost: `coalesce(${field('cost')}, 0)`,
  tokens_input: `coalesce(${field('tokens.input')}, 0)`,
  tokens_output: `coalesce(${field('tokens.output')}, 0)`,
  tokens_reasoning: `coalesce(${field('tokens.reasoning')}, 0)`,
  tokens_cache_read: `coalesce(${field('tokens.cache.read')}, 0)`,
  tokens_cache_write: `coalesce(${field('tokens.cache.write')}, 0)`,
  revert: field('revert'),
  permission: field('permission'),
  time_created: field('time.created'),
  time_updated: field('time.updated'),
  time_compacting: field('time.compacting'),
  time_archived: field('time.archived'),
}

/** The last event of each comes first, and existing rows are left alone. */
const LAST_FIRST = 'ORDER BY kept.aggregate_id DESC, kept.seq DESC'

/**
 * Restores the rows that a damaged page has destroyed. Without the last two statements OpenCode does not
 * start: it would reuse event numbers and create existing tables again. The time of a migration is lost, and
 * OpenCode does not need it.
 */
export const FILLS: readonly string[] = [
  `INSERT OR IGNORE INTO session (${Object.keys(SESSION).join(', ')}) SELECT ${Object.values(SESSION).join(', ')}
   FROM ${eventValues("type GLOB 'session.created.*' OR type GLOB 'session.updated.*'", '$.info')}
   WHERE NOT ${removedLater('session.deleted.*', '$.sessionID', 'kept.aggregate_id')} ${LAST_FIRST}`,
  `INSERT OR IGNORE INTO message (id, session_id, time_created, time_updated, data)
   SELECT ${field('id')}, aggregate_id, ${field('time.created')}, coalesce(${field('time.completed')}, ${field('time.created')}),
     json_remove(value, '$.id', '$.sessionID')
   FROM ${eventValues("type GLOB 'message.updated.*'", '$.info')}
   WHERE aggregate_id IN (SELECT id FROM session) AND NOT ${removedLater('message.removed.*', '$.messageID', field('id'))} ${LAST_FIRST}`,
  `INSERT OR IGNORE INTO part (id, message_id, session_id, time_created, time_updated, data)
   SELECT ${field('id')}, ${field('messageID')}, aggregate_id, time, time, json_remove(value, '$.id', '$.sessionID', '$.messageID')
   FROM ${eventValues("type GLOB 'message.part.updated.*'", '$.part')}
   WHERE ${field('messageID')} IN (SELECT id FROM message) AND NOT ${removedLater('message.part.removed.*', '$.partID', field('id'))} ${LAST_FIRST}`,
  'INSERT OR IGNORE INTO event_sequence (aggregate_id, seq) SELECT aggregate_id, max(seq) FROM event GROUP BY aggregate_id',
  'INSERT OR IGNORE INTO migration (id, time_completed) SELECT id, 0 FROM old.migration INDEXED BY sqlite_autoindex_migration_1',
]
