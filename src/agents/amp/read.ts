// Reads a thread: one JSON document, rewritten as a whole, with its messages in the order of the list.

import { pace } from '../../disk/files/pace.ts'
import { Findings } from '../../model/finding.ts'
import type { Message } from '../../model/message.ts'
import type { Reading, ReadingEnd, RecordCounts } from '../../model/reading.ts'
import { endReading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { assertEmptyList, type DocumentPart, readDocumentFile } from '../stores/json-document.ts'
import { countUnknown } from '../stores/unfamiliar.ts'
import { asObject } from '../stores/values.ts'
import type { FactNotes } from './facts.ts'
import { factsFrom, noteField, noteMessage } from './facts.ts'
import { messageOf, STRUCTURE } from './messages.ts'

export function read(session: SessionRef): Reading {
  return pace(readThread(session))
}

function* readThread(session: SessionRef): Generator<Message, ReadingEnd, void> {
  const findings = new Findings()
  const notes: FactNotes = {}
  const counts: RecordCounts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  const ids = new Set<string>()
  const document = readDocumentFile(session.filePath, session.storeRoot, STRUCTURE, findings)
  let step = document.next()
  for (; !step.done; step = document.next()) {
    const part = step.value
    if (part.type === 'field') {
      noteField(notes, part.key, part.value)
      continue
    }
    const message = messageOf(part.value, uniqueId(part, ids), part.at)
    counts.records++
    countUnknown(counts, message.parts)
    noteMessage(notes, message)
    yield message
  }
  const end = step.value
  if (end.complete && counts.records === 0) {
    assertEmptyList(session.filePath, session.storeRoot, STRUCTURE.lists, end.fileSize)
    addStub(session, end.fileSize, findings)
  }
  counts.skipped = findings.lost
  const common = { facts: factsFrom(notes), counts, branches: [], continued: false }
  const recovered = counts.records > 0 || notes.id !== undefined
  return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered }, end.cause)
}

function uniqueId(part: DocumentPart, ids: Set<string>): string {
  const number = asObject(part.value)?.['messageId']
  const id = typeof number === 'number' || typeof number === 'string' ? String(number) : ''
  const unique = id === '' || ids.has(id) ? `${id}@${part.at.start}` : id
  ids.add(unique)
  return unique
}

/** Newer versions leave such files behind. The finding says that the conversation itself is not lost. */
function addStub(session: SessionRef, size: number, findings: Findings): void {
  findings.add({
    damage: 'stored-elsewhere',
    severity: 'survived',
    at: { file: session.filePath, start: 0, end: size },
    text: 'The thread has no messages in this file: newer versions of Amp keep them on its server.',
    hint: `Fetch them from there: amp threads export ${session.sessionId}`,
  })
}
