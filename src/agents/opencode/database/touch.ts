// The places in the database that OpenCode needs to continue a session. A damaged page there stops it, even
// if every message can be read. Measured by damaging each page of a database in turn and continuing with the
// real agent.
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { asString } from '../../stores/values.ts'

/** Old pages of `event` do not stop it, nor do pages of `todo` or `session_message`. */
const WRITTEN = ['session', 'message', 'part', 'event', 'event_sequence']
const SEARCHED_INDEXES = ['todo_session_idx', 'session_message_session_seq_idx']
/** The columns by which rows of a session are found. Other columns hold growing ids: new ones come last. */
const OF_SESSION = new Set(['session_id', 'aggregate_id'])

/** Throws SQLite's error for a damaged page. */
export function readNeededPages(database: Database, sessionId: string): void {
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
