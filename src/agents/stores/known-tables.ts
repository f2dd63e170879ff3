// The tables of an agent's database that a store knows. A database with others is reported: an empty list
// would hide that an agent has moved its conversations to new tables.
import { quote } from '../../disk/files/system-errors.ts'
import type { Database } from '../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../model/errors.ts'

export interface KnownTables {
  /** Tables with conversations, each with the columns without which it cannot be read. One is enough. */
  conversations: Readonly<Record<string, readonly string[]>>
  /** Known tables whose names sound like conversations. */
  others?: readonly string[]
  /** The file can be of another program, such as a plugin: then it need not have any of these tables. */
  mayBeForeign?: boolean
}

/** Names under which agents keep conversations: `session_v2`, `thread_messages`, `chats`. */
const CONVERSATION = /(?:^|_)(?:session|message|conversation|chat|thread|turn)s?(?:_|v?\d|$)/i

/** What is not known of the tables of a database. Empty if everything is. */
export function unknownTables(database: Database, known: KnownTables): RethreadError[] {
  const names = database
    .all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .map(row => String(row['name']))
  const missing = Object.entries(known.conversations).flatMap(([table, columns]) => {
    const there = names.includes(table) ? database.columns(table) : undefined
    return there === undefined ? [] : columns.filter(name => !there.has(name)).map(name => `${table}.${name}`)
  })
  if (missing.length > 0) return [unknown(database.path, `lacks the columns ${list(missing)}`)]
  const isUnread = (name: string): boolean =>
    CONVERSATION.test(name) && !(name in known.conversations) && known.others?.includes(name) !== true
  const unread = names.filter(name => isUnread(name) && hasRows(database, name))
  if (unread.length > 0)
    return [unknown(database.path, `holds rows in tables that rethread does not know: ${list(unread)}`)]
  if (known.mayBeForeign === true || names.some(name => name in known.conversations)) return []
  return [unknown(database.path, `has none of the tables ${list(Object.keys(known.conversations))}`)]
}

function hasRows(database: Database, table: string): boolean {
  return database.all(`SELECT 1 FROM "${table.replaceAll('"', '""')}" LIMIT 1`).length > 0
}

function list(names: readonly string[]): string {
  return names.map(name => `"${name}"`).join(', ')
}

function unknown(path: string, what: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} ${what}, so conversations in it may not be listed: it may be from another version of the agent.`,
    hint: `See its tables: sqlite3 -readonly ${quote(path)} .schema`,
    path,
  })
}
