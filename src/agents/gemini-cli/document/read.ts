// Reads a session document: its messages in the order of the list.
import type { Structure } from '../../../bytes/salvage/index.ts'
import { pace } from '../../../disk/files/pace.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import { endReading, type Reading, type ReadingEnd, type RecordCounts } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { assertEmptyList, type DocumentPart, readDocumentFile } from '../../stores/json-document.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import { asObject, asString, asText } from '../../stores/values.ts'
import { type FactNotes, factsFrom, noteMessage, noteMetadata, notePrompt } from '../facts.ts'
import { interpret, messageOf, resultIds, withoutRepeats } from '../messages.ts'

interface Progress {
  notes: FactNotes
  counts: RecordCounts
  ids: Set<string>
  results: Set<string>
}

export function read(session: SessionRef): Reading {
  return pace(readDocumentSession(session))
}

function* readDocumentSession(session: SessionRef): Generator<Message, ReadingEnd, void> {
  const findings = new Findings()
  const progress: Progress = {
    notes: { hashed: 0 },
    counts: { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 },
    ids: new Set(),
    results: new Set(),
  }
  const { notes, counts } = progress
  const document = readDocumentFile(session.filePath, session.storeRoot, DOCUMENT_STRUCTURE, findings)
  let step = document.next()
  for (; !step.done; step = document.next()) {
    const message = take(step.value, progress)
    if (message !== undefined) yield message
  }
  const end = step.value
  if (end.complete && counts.records === 0)
    assertEmptyList(session.filePath, session.storeRoot, DOCUMENT_STRUCTURE.lists, end.fileSize)
  counts.skipped = findings.lost
  const common = {
    facts: factsFrom(notes, session.project, session.subagentOf),
    counts,
    branches: [],
    continued: false,
  }
  const recovered = counts.records > 0 || notes.sessionId !== undefined
  return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered }, end.cause)
}

function take(part: DocumentPart, progress: Progress): Message | undefined {
  const { notes, counts, ids, results } = progress
  if (part.type === 'field') {
    noteMetadata(notes, { [part.key]: part.value })
    return undefined
  }
  counts.records++
  const record = asObject(part.value) ?? {}
  const whole = interpret(part.value)
  const interpreted = withoutRepeats(whole, id => results.has(id))
  if (interpreted === undefined) {
    counts.bookkeeping++
    return undefined
  }
  for (const id of resultIds(interpreted.parts)) results.add(id)
  countUnknown(counts, interpreted.parts)
  noteMessage(notes, record, interpreted)
  notePrompt(notes, interpreted)
  return messageOf(interpreted, uniqueId(asString(record['id']), part.at.start, ids), record['timestamp'], part.at)
}

/** In a document no message replaces an earlier one, so a repeated id gets a suffix. */
function uniqueId(id: string | undefined, start: number, ids: Set<string>): string {
  const unique = id === undefined || ids.has(id) ? `${id ?? ''}@${start}` : id
  ids.add(unique)
  return unique
}

const TYPES = new Set<unknown>(['user', 'gemini', 'info', 'error', 'warning'])

export const DOCUMENT_STRUCTURE: Structure = {
  lists: ['messages'],
  fields: ['sessionId', 'projectHash', 'startTime', 'lastUpdated', 'summary', 'directories'],
  isMessage(value) {
    const message = asObject(value)
    if (message === undefined || !TYPES.has(message['type'])) return false
    const hasIdAndTime = asText(message['id']) !== undefined && asText(message['timestamp']) !== undefined
    return hasIdAndTime && (message['content'] !== undefined || message['toolCalls'] !== undefined)
  },
  idOf: value => asText(asObject(value)?.['id']),
}
