// What Warp's rows say about a conversation, without decoding its messages.
import { parseJson } from '../../bytes/json.ts'
import type { Database } from '../../disk/sqlite/read-database.ts'
import { titleFrom } from '../stores/title.ts'
import type { Json } from '../stores/values.ts'
import { asArray, asObject, asText } from '../stores/values.ts'
import { hasColumns, textOf, texts, timeOf } from './rows.ts'

export interface ConversationRow {
  id: string
  row: string
  title?: string | undefined
  agentName?: string | undefined
  project?: string | undefined
  updatedAt?: string | undefined
  parent?: string | undefined
  forkedFromToken?: string | undefined
  /** The size of the row's content, which is part of the session's identity. */
  size: number
  /** The columns that should hold JSON but do not. */
  malformed: string[]
}

export function* conversationRows(database: Database, id?: string): Generator<ConversationRow, void, void> {
  if (!hasColumns(database, 'agent_conversations', 'conversation_id')) return
  const columns = texts(
    database,
    'agent_conversations',
    'conversation_id',
    'conversation_data',
    'summary',
    'last_modified_at',
  )
  const only = id === undefined ? '' : 'WHERE conversation_id = ?'
  const sql = `SELECT CAST(rowid AS TEXT) AS row, ${columns} FROM agent_conversations ${only} ORDER BY rowid`
  for (const row of database.each(sql, ...(id === undefined ? [] : [id]))) {
    const conversationId = textOf(row, 'conversation_id')
    if (conversationId === undefined) continue
    const data = jsonOf(textOf(row, 'conversation_data'))
    const summary = jsonOf(textOf(row, 'summary'))
    yield {
      id: conversationId,
      row: textOf(row, 'row') ?? '',
      ...describe(data ?? {}, summary ?? {}),
      updatedAt: timeOf(row, 'last_modified_at'),
      size: (textOf(row, 'conversation_data')?.length ?? 0) + (textOf(row, 'summary')?.length ?? 0),
      malformed: [
        ...(data === undefined && textOf(row, 'conversation_data') !== undefined ? ['conversation_data'] : []),
        ...(summary === undefined && textOf(row, 'summary') !== undefined ? ['summary'] : []),
      ],
    }
  }
}

function describe(data: Json, summary: Json) {
  const title = asText(data['title']) ?? asText(data['display_title']) ?? asText(summary['title'])
  const query = asText(summary['initial_query'])
  return {
    title: title ?? (query === undefined ? undefined : titleFrom(query)),
    agentName: asText(data['agent_name']),
    project: asText(summary['initial_working_directory']),
    parent: asText(data['parent_conversation_id']),
    forkedFromToken: asText(data['forked_from_server_conversation_token']),
  }
}

/**
 * A fork names its source by the server's id. The local id is stored beside it, if the source still exists.
 */
export function conversationWithToken(database: Database, token: string): string | undefined {
  if (!hasColumns(database, 'agent_conversations', 'conversation_id', 'conversation_data')) return undefined
  const columns = texts(database, 'agent_conversations', 'conversation_id', 'conversation_data')
  for (const row of database.each(`SELECT ${columns} FROM agent_conversations`))
    if (jsonOf(textOf(row, 'conversation_data'))?.['server_conversation_token'] === token)
      return textOf(row, 'conversation_id')
  return undefined
}

/** The person's prompts, from the `input` column of a query. Undefined if it is not JSON. */
export function queryItems(input: string): Json[] | undefined {
  return asArray(parseJson(Buffer.from(input)))?.map(item => asObject(item) ?? { [String(item)]: null })
}

export function queryText(item: Json): string | undefined {
  const query = asObject(item['Query'])
  return asText(query?.['text']) ?? asText(query?.['query'])
}

/** Only valid JSON is queried: `json_extract` fails the whole query on anything else. */
export const CONVERSATION_OF_BLOCK = `CASE WHEN json_valid(ai_metadata)
  THEN CAST(json_extract(ai_metadata, '$.conversation_id') AS TEXT) END`

function jsonOf(text: string | undefined): Json | undefined {
  return text === undefined ? undefined : asObject(parseJson(Buffer.from(text)))
}
