// The rows of a window's database that hold conversations. Only these named keys are read: the table also
// holds data of extensions, and access tokens.
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { asArray, asBytes, asNumber, asText, asTime, present } from '../../stores/values.ts'

export const TABLE = 'ItemTable'

/** One kind of row: a list of conversations, each with its messages. */
interface Kind {
  key: string
  /** JSON paths: the list, and in each of its elements the id, the title, the times and the messages. */
  list: string
  fields: readonly [id: string, title: string, started: string, updated: string]
  messages: string
}

const KINDS: readonly Kind[] = [
  {
    key: 'workbench.panel.aichat.view.aichat.chatdata',
    list: '$.tabs',
    fields: ['$.tabId', '$.chatTitle', '$.createdAt', '$.lastSendTime'],
    messages: '$.bubbles',
  },
  {
    key: 'composer.composerData',
    list: '$.allComposers',
    fields: ['$.composerId', '$.name', '$.createdAt', '$.lastUpdatedAt'],
    messages: '$.conversation',
  },
]

export interface StoredChat {
  id: string
  /** The row that it is in. */
  key: string
  position: number
  bytes: number
  title?: string
  startedAt?: string
  updatedAt?: string
}

/** The conversations with messages, and the keys of rows that are not JSON. */
export interface StoredChats {
  chats: StoredChat[]
  malformed: string[]
}

export function storedChats(database: Database): StoredChats {
  const columns = database.columns(TABLE)
  const found: StoredChats = { chats: [], malformed: [] }
  if (!columns.has('key') || !columns.has('value')) return found
  for (const kind of KINDS) {
    const sql = `SELECT json_valid(CAST(value AS TEXT)) AS isJson FROM ${TABLE} WHERE key = ? AND value IS NOT NULL`
    const row = database.all(sql, kind.key)[0]
    if (row === undefined) continue
    if (row['isJson'] !== 1) found.malformed.push(kind.key)
    else found.chats.push(...database.all(listSql(kind), kind.key).map(item => chatOf(item, kind)))
  }
  return found
}

function listSql({ list, fields, messages }: Kind): string {
  const extracted = fields.map(field => `'${field}'`).join(', ')
  return `
    SELECT item.key AS position, octet_length(item.value) AS bytes, json_extract(item.value, ${extracted}) AS fields
    FROM (SELECT CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key = ?) AS stored, json_each(text, '${list}') AS item
    WHERE CASE WHEN item.type = 'object' THEN json_array_length(item.value, '${messages}') > 0 END`
}

function chatOf(row: Row, { key }: Kind): StoredChat {
  const position = asNumber(row['position']) ?? 0
  const [id, title, started, updated] = asArray(JSON.parse(String(row['fields']))) ?? []
  return present<StoredChat>({
    id: asText(id) ?? `${key.split('.').at(-1)}-${position}`,
    key,
    position,
    bytes: asNumber(row['bytes']) ?? 0,
    title: asText(title),
    startedAt: asTime(started),
    updatedAt: asTime(updated),
  })
}

export function* chatBubbles(database: Database, { key, position }: StoredChat): Generator<Buffer, void, void> {
  const kind = KINDS.find(candidate => candidate.key === key)
  const sql = `
    SELECT CAST(bubble.value AS BLOB) AS value, bubble.type AS type
    FROM (SELECT CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key = ?) AS stored,
      json_each(text, '${kind?.list}[${position}]${kind?.messages.slice(1)}') AS bubble`
  for (const row of database.each(sql, key)) yield row['type'] === 'object' ? asBytes(row['value']) : Buffer.alloc(0)
}
