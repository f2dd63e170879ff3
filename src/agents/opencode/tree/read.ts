// Reads a session from the tree, message by message. An unreadable file loses only its own content.
import { basename, dirname } from 'node:path'
import { pace } from '../../../disk/files/pace.ts'
import { makeSmallFileReader } from '../../../disk/files/read-once.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import type { Finding, Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd, RecordCounts } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { TreeFile } from '../../repair.ts'
import type { ReadOptions } from '../../store.ts'
import { sessionGone } from '../../stores/session-gone.ts'
import { asObject } from '../../stores/values.ts'
import { ConversationBuilder } from '../conversation.ts'
import type { StoredPart } from '../parts.ts'
import { asMillis, assertBranch, infoFromFile, type SessionInfo, worktreeOf } from '../session-info.ts'
import { refuses } from '../shapes.ts'
import {
  inOrder,
  messagesFolder,
  partsFolder,
  projectFile,
  type ReadFile,
  type RecordFile,
  type RecordReading,
  readRecord,
  recordFiles,
  storageOf,
} from './records.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(readTree(session, options))
}

function* readTree(session: SessionRef, options: ReadOptions): Generator<Message, ReadingEnd, void> {
  const storage = storageOf(session.filePath)
  const file = readSessionFile(session, storage)
  const messages = recordFiles(messagesFolder(storage, session.sessionId))
  if (file.type === 'gone' && messages.length === 0) throw sessionGone(session)
  const info = file.type === 'read' ? infoFromFile(file.value) : {}
  assertBranch(session, info, options.branch)
  const conversation = new ConversationBuilder(session.sessionId, info, options.branch)
  if (file.type === 'read') {
    conversation.counts.records++
    noteFinding(conversation, file.finding)
  } else note(conversation, file.type === 'gone' ? { ...file, finding: headerLost(session) } : file)
  const reader = new RecordReader(storage)
  for (const message of inOrder(messages, path => createdAt(path, storage))) {
    const shown = readMessage(message, reader, conversation)
    if (shown !== undefined) yield shown
  }
  return conversation.end(readWorktree(session, storage, info))
}

function readSessionFile(session: SessionRef, storage: string): RecordReading {
  // Found by its messages alone: there was no session file to read.
  if (session.filePath === messagesFolder(storage, session.sessionId))
    return { type: 'gone', finding: headerLost(session) }
  return readOwn('session', session.sessionId, session.filePath, storage)
}

/** Reads a file of the session. A damaged one is read as after a repair. */
function readOwn(
  role: TreeFile['role'],
  id: string,
  file: string,
  storage: string,
  readFile?: ReadFile,
): RecordReading {
  return readRecord(file, storage, value => refuses({ file, role, id }, value) === undefined, readFile)
}

/** Messages are in one folder, and the parts of each in another: each kind has a reader that knows its last folder. */
class RecordReader {
  readonly storage: string
  readonly #readMessage = makeSmallFileReader()
  readonly #readPart = makeSmallFileReader()

  constructor(storage: string) {
    this.storage = storage
  }

  message({ id, path }: RecordFile): RecordReading {
    return readOwn('message', id, path, this.storage, this.#readMessage)
  }

  part({ id, path }: RecordFile): RecordReading {
    return readOwn('part', id, path, this.storage, this.#readPart)
  }
}

function readMessage(file: RecordFile, reader: RecordReader, conversation: ConversationBuilder): Message | undefined {
  const record = reader.message(file)
  if (record.type === 'read') noteFinding(conversation, record.finding)
  else note(conversation, record)
  const parts = recordFiles(partsFolder(reader.storage, file.id)).flatMap(part => readPart(part, reader, conversation))
  return conversation.take({
    id: file.id,
    value: record.type === 'read' ? record.value : undefined,
    parts,
    at: record.type === 'read' ? record.at : record.finding.at,
  })
}

function readPart(file: RecordFile, reader: RecordReader, conversation: ConversationBuilder): StoredPart[] {
  const record = reader.part(file)
  if (record.type === 'read') {
    noteFinding(conversation, record.finding)
    return [{ id: file.id, value: record.value }]
  }
  note(conversation, record)
  return []
}

function note(
  { findings, counts }: { findings: Findings; counts: RecordCounts },
  record: Exclude<RecordReading, { type: 'read' }>,
): void {
  findings.add(record.finding)
  counts.skipped++
}

function noteFinding({ findings, counts }: ConversationBuilder, finding: Finding | undefined): void {
  if (finding === undefined) return
  findings.add(finding)
  if (finding.severity === 'lost') counts.skipped++
}

function createdAt(path: string, storage: string): number | undefined {
  const record = readRecord(path, storage, () => true)
  return record.type === 'read' ? asMillis(asObject(record.value['time'])?.['created']) : undefined
}

/** Only a fallback: an unreadable project file loses nothing of the conversation. */
function readWorktree(session: SessionRef, storage: string, info: SessionInfo): string | undefined {
  if (info.directory !== undefined) return undefined
  // The folder name counts, not the field: sessions were moved between projects without being rewritten.
  const projectId = basename(dirname(session.filePath))
  const record = readRecord(projectFile(storage, projectId), storage)
  return record.type === 'read' ? worktreeOf(projectId, record.value['worktree']) : undefined
}

function headerLost(session: SessionRef): Finding {
  return {
    damage: 'lost-header',
    severity: 'lost',
    at: { file: session.filePath, start: 0, end: 0 },
    text: `The file with the title and the folder of session ${session.sessionId} is gone; its messages are still there.`,
    hint: `See what is there: ls ${quote(messagesFolder(storageOf(session.filePath), session.sessionId))}`,
  }
}
