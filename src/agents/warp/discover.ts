// The conversations of one database: the listed ones, and those that only have tasks, queries or commands.

import { exists, identityOf, statPath } from '../../disk/files/read.ts'
import type { Database } from '../../disk/sqlite/read-database.ts'
import type { SessionRef } from '../../model/session.ts'
import type { DiscoverOptions, Found, Location } from '../store.ts'
import type { KnownTables } from '../stores/known-tables.ts'
import { listDatabase } from '../stores/list-database.ts'
import { titleFrom } from '../stores/title.ts'
import { present } from '../stores/values.ts'
import { CONVERSATION_OF_BLOCK, conversationRows, queryItems, queryText } from './overview.ts'
import { hasColumns, numberOf, textOf, texts, timeOf } from './rows.ts'

export const DATABASE = 'database'

/** Columns without which a table would be left out. */
const TABLES: KnownTables = {
  conversations: {
    agent_conversations: ['conversation_id'],
    agent_tasks: ['conversation_id', 'task'],
    ai_queries: ['conversation_id', 'start_ts'],
  },
}

export async function* discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  if (!exists(location.path)) return
  const { path, root: storeRoot } = location
  const listable = { agent: 'warp', path, storeRoot, list: collectNotes, tables: TABLES }
  const { value: notes, failures } = await listDatabase(listable, options)
  yield* failures
  const file = identityOf(statPath(location.path))
  for (const [sessionId, note] of notes) {
    const session: SessionRef = {
      agent: 'warp',
      sessionId,
      filePath: location.path,
      generation: DATABASE,
      storeRoot: location.root,
      updatedAt: note.updatedAt === undefined ? file.mtimeMs : Date.parse(note.updatedAt),
      fileSize: file.size,
      identity: `${file.device}:${file.inode}:${note.marks.join(':')}`,
      ...present<Pick<SessionRef, 'title' | 'project' | 'subagentOf'>>({
        title: note.title,
        project: note.project,
        subagentOf: note.parent,
      }),
    }
    yield { type: 'session', session }
  }
}

interface Note {
  title?: string | undefined
  project?: string | undefined
  parent?: string | undefined
  updatedAt?: string | undefined
  /** Counts, sizes and times: any change of the conversation changes at least one of them. */
  marks: (string | number)[]
}

function collectNotes(database: Database): Map<string, Note> {
  const notes = new Map<string, Note>()
  const noteOf = (id: string | undefined): Note => {
    const note = notes.get(id ?? '') ?? { marks: [] }
    if (id !== undefined) notes.set(id, note)
    return note
  }
  for (const { id, title, project, parent, updatedAt, size } of conversationRows(database)) {
    Object.assign(noteOf(id), { title, project, parent })
    mark(noteOf(id), updatedAt, 'conversation', size)
  }
  noteTasks(database, noteOf)
  noteQueries(database, noteOf)
  noteBlocks(database, noteOf)
  return notes
}

function mark(note: Note, updatedAt: string | undefined, ...marks: (string | number)[]): void {
  note.marks.push(...marks, updatedAt ?? '')
  if (updatedAt !== undefined && updatedAt > (note.updatedAt ?? '')) note.updatedAt = updatedAt
}

type NoteOf = (id: string | undefined) => Note

function noteTasks(database: Database, noteOf: NoteOf): void {
  if (!hasColumns(database, 'agent_tasks', 'conversation_id', 'task')) return
  const changed = database.columns('agent_tasks').has('last_modified_at')
    ? 'MAX(CAST(last_modified_at AS TEXT))'
    : 'NULL'
  const rows = database.each(
    `SELECT CAST(conversation_id AS TEXT) AS id, COUNT(*) AS tasks, TOTAL(octet_length(task)) AS bytes, ${changed} AS changed
     FROM agent_tasks GROUP BY conversation_id`,
  )
  for (const row of rows)
    mark(noteOf(textOf(row, 'id')), timeOf(row, 'changed'), 'tasks', numberOf(row, 'tasks'), numberOf(row, 'bytes'))
}

function noteQueries(database: Database, noteOf: NoteOf): void {
  if (!hasColumns(database, 'ai_queries', 'conversation_id', 'start_ts')) return
  const totals = `SELECT CAST(conversation_id AS TEXT) AS id, COUNT(*) AS queries, MAX(CAST(start_ts AS TEXT)) AS changed
    FROM ai_queries GROUP BY conversation_id`
  for (const row of database.each(totals))
    mark(noteOf(textOf(row, 'id')), timeOf(row, 'changed'), 'queries', numberOf(row, 'queries'))
  const columns = texts(database, 'ai_queries', 'conversation_id', 'input', 'working_directory')
  // With MIN(), SQLite gives the other columns from the row that holds the minimum.
  const first = (column: string) =>
    database.columns('ai_queries').has(column)
      ? database.each(
          `SELECT ${columns}, MIN(CAST(start_ts AS TEXT)) FROM ai_queries
           WHERE length(${column}) > 2 GROUP BY conversation_id`,
        )
      : []
  for (const row of first('input')) {
    const note = noteOf(textOf(row, 'conversation_id'))
    const text = (queryItems(textOf(row, 'input') ?? '') ?? []).map(queryText).find(found => found !== undefined)
    note.title ??= text === undefined ? undefined : titleFrom(text)
  }
  for (const row of first('working_directory'))
    noteOf(textOf(row, 'conversation_id')).project ??= textOf(row, 'working_directory')
}

function noteBlocks(database: Database, noteOf: NoteOf): void {
  if (!hasColumns(database, 'blocks', 'ai_metadata')) return
  const columns = texts(database, 'blocks', 'pwd')
  const rows = database.each(
    `SELECT id, COUNT(*) AS commands, CAST(MIN(row) AS TEXT) AS first, pwd FROM (
       SELECT rowid AS row, ${columns}, ${CONVERSATION_OF_BLOCK} AS id FROM blocks WHERE ai_metadata IS NOT NULL
     ) WHERE id IS NOT NULL GROUP BY id`,
  )
  for (const row of rows) {
    const note = noteOf(textOf(row, 'id'))
    mark(note, undefined, 'commands', numberOf(row, 'commands'))
    note.project ??= textOf(row, 'pwd')
  }
}
