// Reads one conversation of the editor, bubble by bubble in the order of its composer. A missing bubble is
// reported as a gap.

import { parseJson } from '../../../bytes/json.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { type Database, streamDatabase } from '../../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message, RowPlace } from '../../../model/message.ts'
import { quoteSql } from '../../../model/paste.ts'
import {
  type Branch,
  endReading,
  type Reading,
  type ReadingEnd,
  type RecordCounts,
  type SessionFacts,
} from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import { asBytes, asObject, asText, asTime, present } from '../../stores/values.ts'
import { titleOf } from '../blocks.ts'
import { readBubble } from './bubbles.ts'
import { assertState, bubbleKey, bubbleRange, type Composer, composerKey, oneComposer, TABLE } from './composers.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  const read = (database: Database) => new ComposerReading(database, session, options.branch).read()
  return streamDatabase(session.filePath, session.storeRoot, read, options)
}

/** Bubbles that no header names: the rest of a conversation that was rewound. */
const UNLISTED = 'unlisted'

class ComposerReading {
  readonly #database: Database
  readonly #session: SessionRef
  readonly #branch: string | undefined
  readonly #findings = new Findings()
  readonly #counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  readonly #given = new Set<string>()
  #prompt: string | undefined
  #branches: Branch[] = []

  constructor(database: Database, session: SessionRef, branch: string | undefined) {
    this.#database = database
    this.#session = session
    this.#branch = branch
  }

  *read(): Generator<Message, ReadingEnd, void> {
    assertState(this.#database)
    const composer = oneComposer(this.#database, this.#session.sessionId)
    if (composer === undefined) throw this.#notFound()
    if (composer.order === 'inline') yield* this.#readInline()
    else for (const id of this.#orderOf(composer)) yield* this.#readStored(id)
    const common = { facts: this.#facts(composer), counts: this.#counts, branches: this.#branches, continued: false }
    return endReading(common, this.#findings, { parsedUpTo: 0, recovered: this.#counts.records > 0 })
  }

  #orderOf(composer: Composer): string[] {
    const { sessionId } = this.#session
    if (composer.order !== 'headers') {
      if (composer.bubbles > 0 || composer.state === 'unreadable') this.#noteLostOrder(composer)
      return timeOrder(this.#database, sessionId)
    }
    const headers = headerOrder(this.#database, sessionId)
    for (const [position, id] of headers.entries()) if (id === undefined) this.#noteHeader(position)
    const listed = headers.filter(id => id !== undefined)
    const isListed = new Set(listed)
    const unlisted = new Set(storedBubbles(this.#database, sessionId).filter(id => !isListed.has(id)))
    if (unlisted.size > 0) this.#branches = [{ id: UNLISTED, kind: 'abandoned', messages: unlisted.size, title: '' }]
    if (this.#branch !== UNLISTED) return listed
    return timeOrder(this.#database, sessionId).filter(id => unlisted.has(id))
  }

  *#readStored(id: string): Generator<Message, void, void> {
    const key = bubbleKey(this.#session.sessionId, id)
    // A repeated header names the same message.
    if (this.#given.has(id)) return
    const bytes = bubbleBytes(this.#database, key)
    if (bytes === undefined) this.#noteHole(key, 'missing-bubble', 'is missing')
    else yield* this.#give(bytes, id, key)
  }

  *#readInline(): Generator<Message, void, void> {
    const key = composerKey(this.#session.sessionId)
    let position = 0
    for (const bytes of inlineBubbles(this.#database, this.#session.sessionId)) {
      position++
      const own = asText(asObject(parseJson(bytes))?.['bubbleId'])
      yield* this.#give(bytes, own === undefined || this.#given.has(own) ? `@${position}` : own, key)
    }
  }

  *#give(bytes: Buffer, id: string, key: string): Generator<Message, void, void> {
    const value = asObject(parseJson(bytes))
    this.#given.add(id)
    if (value === undefined) return this.#noteHole(key, 'malformed-bubble', 'is not JSON')
    this.#counts.records++
    const bubble = readBubble(value, id, this.#at(key))
    if (bubble.type === 'bookkeeping') {
      this.#counts.bookkeeping++
      return
    }
    countUnknown(this.#counts, bubble.message.parts)
    this.#prompt ??= titleOf(bubble.message)
    yield bubble.message
  }

  #facts(composer: Composer): SessionFacts {
    const { title, project, createdAt, updatedAt, model, subagentOf } = composer.fields
    return present<SessionFacts>({
      sessionId: composer.id,
      title: title ?? this.#prompt,
      project,
      startedAt: asTime(createdAt),
      updatedAt: asTime(updatedAt),
      model,
      subagentOf,
    })
  }

  #at(key: string): RowPlace {
    return { file: this.#database.path, table: TABLE, row: key }
  }

  #noteHole(key: string, damage: string, what: string): void {
    this.#counts.skipped++
    const text = `A message of the conversation ${what}; it was left out.`
    this.#findings.add({ damage, severity: 'lost', at: this.#at(key), text, hint: this.#seeRow(key) })
  }

  #noteHeader(position: number): void {
    this.#counts.skipped++
    const key = composerKey(this.#session.sessionId)
    const text = `Entry ${position + 1} in the order of the messages names no message; it was left out.`
    this.#findings.add({
      damage: 'malformed-header',
      severity: 'lost',
      at: this.#at(key),
      text,
      hint: this.#seeRow(key),
    })
  }

  #noteLostOrder(composer: Composer): void {
    const key = composerKey(composer.id)
    this.#findings.add({
      damage: 'lost-order',
      severity: 'lost',
      at: this.#at(key),
      text: `The row that names the messages ${composer.state === 'readable' ? 'names none' : 'is not JSON'}; ${composer.bubbles} were found without it and are sorted by time.`,
      hint: this.#seeRow(key),
    })
  }

  /** Never includes the value itself: a composer's value holds keys. */
  #seeRow(key: string): string {
    const query = `SELECT typeof(value), length(value) FROM ${TABLE} WHERE key = ${quoteSql(key)}`
    return `See whether the row is there: sqlite3 -readonly ${quote(this.#database.path)} ${quote(query)}`
  }

  #notFound(): RethreadError {
    return new RethreadError({
      code: 'session-not-found',
      text: `${this.#database.path} holds no conversation ${this.#session.sessionId}.`,
      hint: 'See what is there: rethread list --agent cursor',
      path: this.#database.path,
    })
  }
}

// The order of a composer's bubbles. Neither keys nor rows are in the order of the conversation: the composer
// lists it.

const HEADERS = `
  SELECT CASE WHEN header.type = 'object' THEN json_extract(header.value, '$.bubbleId') END AS id
  FROM (SELECT CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key = ?) AS composer,
    json_each(text, '$.fullConversationHeadersOnly') AS header`

/** Undefined stands for a header that names no bubble. */
export function headerOrder(database: Database, composer: string): (string | undefined)[] {
  return database.all(HEADERS, composerKey(composer)).map(row => asText(row['id']))
}

/** In a list, in the tabs of the composer, or in a map of conversations. */
const INLINE = `
  WITH composer AS (SELECT CAST(value AS TEXT) AS text FROM ${TABLE} WHERE key = ?),
  lists AS (
    SELECT 0 AS place, json_extract(text, '$.conversation') AS list FROM composer
    UNION ALL ${listsIn('$.tabs')}
    UNION ALL ${listsIn('$.conversationMap')})
  SELECT CAST(bubble.value AS BLOB) AS value, bubble.type AS type
  FROM lists, json_each(CASE WHEN json_valid(list) THEN list ELSE '[]' END) AS bubble`

function listsIn(holders: string): string {
  return `SELECT holder.id AS place, json_extract(holder.value, '$.bubbles') AS list
    FROM composer, json_each(text, '${holders}') AS holder WHERE holder.type = 'object'`
}

/** Older composers contain their bubbles. */
export function* inlineBubbles(database: Database, composer: string): Generator<Buffer, void, void> {
  for (const row of database.each(INLINE, composerKey(composer)))
    yield row['type'] === 'object' ? asBytes(row['value']) : Buffer.alloc(0)
}

export function bubbleBytes(database: Database, key: string): Buffer | undefined {
  const row = database.all(`SELECT CAST(value AS BLOB) AS value FROM ${TABLE} WHERE key = ?`, key)[0]
  return row === undefined ? undefined : asBytes(row['value'])
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
