// The title, folder and times of a conversation: from its own row, its messages, and the other tables.
import type { Database } from '../../disk/sqlite/read-database.ts'
import type { Message } from '../../model/message.ts'
import type { SessionFacts } from '../../model/reading.ts'
import { joinNotes } from '../stores/part-log.ts'
import { titleFrom } from '../stores/title.ts'
import { present } from '../stores/values.ts'
import { historyRows } from './history.ts'
import type { ConversationRow } from './overview.ts'
import { conversationWithToken } from './overview.ts'
import { hasColumns, textOf, texts } from './rows.ts'

/** Facts collected while reading the messages. */
export interface FactNotes {
  firstQuery?: string | undefined
  directory?: string | undefined
  model?: string | undefined
  startedAt?: string | undefined
  updatedAt?: string | undefined
}

export function noteMessage(notes: FactNotes, message: Message): void {
  if (message.role === 'user') {
    const text = message.parts.find(part => part.type === 'text')
    if (text !== undefined) notes.firstQuery ??= titleFrom(text.text)
  }
  if (message.time === null) return
  if (notes.startedAt === undefined || message.time < notes.startedAt) notes.startedAt = message.time
  if (notes.updatedAt === undefined || message.time > notes.updatedAt) notes.updatedAt = message.time
}

/** The notes of messages and of those that follow them. */
export function joinFactNotes(one: FactNotes, other: FactNotes): FactNotes {
  const joined = joinNotes(one, other, ['firstQuery', 'directory'], ['updatedAt'])
  const isFirst = one.startedAt !== undefined && !(other.startedAt !== undefined && other.startedAt < one.startedAt)
  return isFirst ? { ...joined, startedAt: one.startedAt } : joined
}

export function factsFrom(
  database: Database,
  id: string,
  listed: ConversationRow | undefined,
  description: string | undefined,
  notes: FactNotes,
): SessionFacts {
  const queries = queryFacts(database, id)
  const fork = listed?.forkedFromToken
  return present<SessionFacts>({
    sessionId: id,
    title: listed?.title ?? description ?? notes.firstQuery ?? listed?.agentName,
    project: listed?.project ?? queries.project ?? notes.directory ?? commandFolder(database, id),
    startedAt: notes.startedAt,
    updatedAt: notes.updatedAt ?? listed?.updatedAt,
    model: notes.model ?? queries.model,
    subagentOf: listed?.parent,
    forkedFrom: fork === undefined ? undefined : conversationWithToken(database, fork),
  })
}

function queryFacts(database: Database, id: string): { project?: string | undefined; model?: string | undefined } {
  if (!hasColumns(database, 'ai_queries', 'conversation_id')) return {}
  const columns = texts(database, 'ai_queries', 'working_directory', 'model_id')
  const rows = database.all(`SELECT ${columns} FROM ai_queries WHERE conversation_id = ? ORDER BY rowid`, id)
  return {
    project: rows.map(row => textOf(row, 'working_directory')).find(folder => folder !== undefined),
    model: rows.map(row => textOf(row, 'model_id')).findLast(model => model !== undefined),
  }
}

function commandFolder(database: Database, id: string): string | undefined {
  const first = historyRows(database, id).find(row => row.table === 'blocks')
  if (first === undefined) return undefined
  const [row] = database.all(`SELECT ${texts(database, 'blocks', 'pwd')} FROM blocks WHERE rowid = ?`, first.row)
  return textOf(row, 'pwd')
}
