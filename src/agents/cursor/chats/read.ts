// Reads one conversation from the row of a window's database.
import { parseJson } from '../../../bytes/json.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { type Database, streamDatabase } from '../../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message, RowPlace } from '../../../model/message.ts'
import type { Reading, ReadingEnd, RecordCounts, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import { asObject, asText, present } from '../../stores/values.ts'
import { titleOf } from '../blocks.ts'
import { readBubble } from '../ide/bubbles.ts'
import { chatBubbles, storedChats, TABLE } from './rows.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  const use = (database: Database) => readChat(database, session)
  return streamDatabase(session.filePath, session.storeRoot, use, options)
}

function* readChat(database: Database, session: SessionRef): Generator<Message, ReadingEnd, void> {
  const chat = storedChats(database).chats.find(({ id }) => id === session.sessionId)
  if (chat === undefined) throw notFound(database, session)
  const at: RowPlace = { file: database.path, table: TABLE, row: chat.key }
  const findings = new Findings()
  const counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  const given = new Set<string>()
  let prompt: string | undefined
  let model: string | undefined
  let position = 0
  for (const bytes of chatBubbles(database, chat)) {
    position++
    const value = asObject(parseJson(bytes))
    if (value === undefined) {
      counts.skipped++
      noteHole(at, position, findings)
      continue
    }
    counts.records++
    const own = asText(value['bubbleId']) ?? asText(value['id'])
    const bubble = readBubble(value, own === undefined || given.has(own) ? `@${position}` : own, at)
    if (bubble.type === 'bookkeeping') {
      counts.bookkeeping++
      continue
    }
    const { message } = bubble
    given.add(message.id)
    countUnknown(counts, message.parts)
    prompt ??= titleOf(message)
    model = message.model ?? model
    yield message
  }
  const { title, startedAt, updatedAt } = chat
  const facts = present<SessionFacts>({
    sessionId: session.sessionId,
    title: title ?? prompt,
    project: session.project,
    startedAt,
    updatedAt,
    model,
  })
  const common = { facts, counts, branches: [], continued: false }
  return endReading(common, findings, { parsedUpTo: 0, recovered: counts.records > 0 })
}

function noteHole(at: RowPlace, position: number, findings: Findings): void {
  const query = `SELECT length(value) FROM ${TABLE} WHERE key = '${at.row}'`
  findings.add({
    damage: 'malformed-bubble',
    severity: 'lost',
    at,
    text: `Message ${position} of the conversation is not a JSON object; it was left out.`,
    hint: `See how long the row is: sqlite3 -readonly ${quote(at.file)} ${quote(query)}`,
  })
}

function notFound(database: Database, session: SessionRef): RethreadError {
  return new RethreadError({
    code: 'session-not-found',
    text: `${database.path} holds no conversation ${session.sessionId}.`,
    hint: 'See what is there: rethread list --agent cursor',
    path: database.path,
  })
}
