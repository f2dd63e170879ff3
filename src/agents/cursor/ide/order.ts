// The order of a composer's bubbles. Neither keys nor rows are in the order of the conversation: the composer
// lists it.
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { asText, asTime } from '../../stores/values.ts'
import { bytesOf } from '../rows.ts'
import { bubbleRange, composerKey, TABLE } from './composers.ts'

const HEADERS = `
  SELECT CASE WHEN header.type = 'object' THEN json_extract(header.value, '$.bubbleId') END AS id
  FROM (SELECT CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key = ?) AS composer,
    json_each(text, '$.fullConversationHeadersOnly') AS header`

/** Undefined stands for a header that names no bubble. */
export function headerOrder(database: Database, composer: string): (string | undefined)[] {
  return database.all(HEADERS, composerKey(composer)).map(row => asText(row['id']))
}

const INLINE = `
  SELECT CAST(bubble.value AS BLOB) AS value, bubble.type AS type
  FROM (SELECT CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key = ?) AS composer,
    json_each(text, '$.conversation') AS bubble`

/** Older composers contain their bubbles. */
export function* inlineBubbles(database: Database, composer: string): Generator<Buffer, void, void> {
  for (const row of database.each(INLINE, composerKey(composer)))
    yield row['type'] === 'object' ? bytesOf(row['value']) : Buffer.alloc(0)
}

export function bubbleBytes(database: Database, key: string): Buffer | undefined {
  const row = database.all(`SELECT CAST(value AS BLOB) AS value FROM ${TABLE} WHERE key = ?`, key)[0]
  return row === undefined ? undefined : bytesOf(row['value'])
}

export function storedBubbles(database: Database, composer: string): string[] {
  const [from, to] = bubbleRange(composer)
  const rows = database.all(`SELECT key FROM ${TABLE} WHERE key >= ? AND key < ?`, from, to)
  return rows.map(row => String(row['key']).slice(from.length))
}

const TIMES = `
  SELECT key, CASE WHEN json_valid(text) THEN json_extract(text, '$.createdAt') END AS time
  FROM (SELECT key, rowid AS place, CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key >= ? AND key < ?)
  ORDER BY place`

/** If no composer lists the order: by time, and without times by the order of writing. */
export function timeOrder(database: Database, composer: string): string[] {
  const [from, to] = bubbleRange(composer)
  let time = ''
  const bubbles = database.all(TIMES, from, to).map(row => {
    time = asTime(row['time']) ?? time
    return { id: String(row['key']).slice(from.length), time }
  })
  return bubbles.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(bubble => bubble.id)
}
