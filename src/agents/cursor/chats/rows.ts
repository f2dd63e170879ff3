// The rows of a window's database that hold conversations. Only these named keys are read: the table also
// holds data of extensions, and access tokens.
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { asArray, asBytes, asNumber, asText, asTime, present } from '../../stores/values.ts'

export const TABLE = 'ItemTable'

/** One kind of row: a list of conversations, each with its messages. */
interface Kind {
  /** The keys of such rows. */
  keys: readonly string[]
  /** JSON paths: the list, and in each of its elements the messages. */
  list: string
  messages: string
  /** JSON paths in an element. Of several, the first that is there counts. */
  fields: Readonly<Record<'id' | 'title' | 'started' | 'updated', readonly string[]>>
  /** An element without messages holds them under a name that is not known, or has none yet. */
  isWhole: boolean
}

const KINDS: readonly Kind[] = [
  {
    keys: ['workbench.panel.aichat.view.aichat.chatdata', 'aichat.chatdata'],
    list: '$.tabs',
    messages: '$.bubbles',
    fields: {
      id: ['$.tabId', '$.id'],
      title: ['$.chatTitle', '$.title'],
      started: ['$.createdAt', '$.timestamp'],
      updated: ['$.lastSendTime'],
    },
    isWhole: true,
  },
  {
    keys: ['composer.composerData'],
    list: '$.allComposers',
    messages: '$.conversation',
    fields: { id: ['$.composerId'], title: ['$.name'], started: ['$.createdAt'], updated: ['$.lastUpdatedAt'] },
    // Newer versions have their messages in the shared database.
    isWhole: false,
  },
]

export const CHAT_KEYS = KINDS.flatMap(({ keys }) => keys)

/** Chats of the editor that Cursor is made from. What rethread knows of Cursor does not cover them. */
const FOREIGN = 'interactive.sessions'

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

/**
 * The conversations with messages, and the keys of rows that are
 * not JSON, or are of a kind that is not known.
 */
export interface StoredChats {
  chats: StoredChat[]
  malformed: string[]
  unknown: string[]
}

export function storedChats(database: Database): StoredChats {
  const columns = database.columns(TABLE)
  const found: StoredChats = { chats: [], malformed: [], unknown: [] }
  if (!columns.has('key') || !columns.has('value')) return found
  for (const kind of KINDS)
    for (const key of kind.keys) {
      const sql = `SELECT json_valid(CAST(value AS TEXT)) AS isJson FROM ${TABLE} WHERE key = ? AND value IS NOT NULL`
      const row = database.all(sql, key)[0]
      if (row === undefined) continue
      if (row['isJson'] !== 1) found.malformed.push(key)
      else found.chats.push(...database.all(listSql(kind), key).map(item => chatOf(item, key, kind)))
    }
  if (holdsForeign(database)) found.unknown.push(FOREIGN)
  return found
}

/** An empty list says that there are none. */
function holdsForeign(database: Database): boolean {
  const sql = `SELECT octet_length(value) > 2 AS isFilled FROM ${TABLE} WHERE key = ? AND value IS NOT NULL`
  return database.all(sql, FOREIGN)[0]?.['isFilled'] === 1
}

function listSql({ list, fields, messages, isWhole }: Kind): string {
  const extracted = Object.values(fields)
    .flat()
    .map(field => `'${field}'`)
  const hasMessages = `json_array_length(item.value, '${messages}') > 0`
  const hasOthers = `json_type(item.value, '${messages}') IS NULL
    AND EXISTS (SELECT 1 FROM json_each(item.value) AS field WHERE field.type = 'array' AND json_array_length(field.value) > 0)`
  return `
    SELECT item.key AS position, octet_length(item.value) AS bytes, json_extract(item.value, ${extracted.join(', ')}) AS fields
    FROM (SELECT CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key = ?) AS stored, json_each(text, '${list}') AS item
    WHERE CASE WHEN item.type = 'object' THEN (${hasMessages}) ${isWhole ? `OR (${hasOthers})` : ''} END`
}

function chatOf(row: Row, key: string, { fields }: Kind): StoredChat {
  const position = asNumber(row['position']) ?? 0
  const values = asArray(JSON.parse(String(row['fields']))) ?? []
  const paths = Object.values(fields).flat()
  const first = (name: keyof Kind['fields']): unknown =>
    fields[name].map(path => values[paths.indexOf(path)]).find(value => value !== null && value !== undefined)
  return present<StoredChat>({
    id: asText(first('id')) ?? `${key.split('.').at(-1)}-${position}`,
    key,
    position,
    bytes: asNumber(row['bytes']) ?? 0,
    title: asText(first('title')),
    startedAt: asTime(first('started')),
    updatedAt: asTime(first('updated')),
  })
}

/**
 * The messages of a conversation. Without its list, the whole
 * conversation, which no reader of messages knows.
 */
export function* chatBubbles(database: Database, { key, position }: StoredChat): Generator<Buffer, void, void> {
  const kind = KINDS.find(({ keys }) => keys.includes(key))
  const stored = `(SELECT CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key = ?) AS stored`
  const chat = `${kind?.list}[${position}]`
  const list = `${chat}${kind?.messages.slice(1)}`
  const sql = `SELECT CAST(bubble.value AS BLOB) AS value, bubble.type AS type FROM ${stored}, json_each(text, '${list}') AS bubble`
  let isThere = false
  for (const row of database.each(sql, key)) {
    isThere = true
    yield row['type'] === 'object' ? asBytes(row['value']) : Buffer.alloc(0)
  }
  if (isThere) return
  for (const row of database.each(`SELECT CAST(json_extract(text, '${chat}') AS BLOB) AS value FROM ${stored}`, key))
    yield asBytes(row['value'])
}
