// Reads a session from the tree, message by message. An unreadable file loses only its own content.
import { basename, dirname } from 'node:path'
import { statIfThere } from '../../../disk/files/handles.ts'
import { pace } from '../../../disk/files/pace.ts'
import { listKnownFolder, statPath } from '../../../disk/files/read.ts'
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
  recordsAmong,
  storageOf,
} from './records.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(readTree(session, options))
}

function* readTree(session: SessionRef, options: ReadOptions): Generator<Message, ReadingEnd, void> {
  const messages = messagesOf(session)
  const conversation = openConversation(session, messages.length > 0, options.branch)
  const reader = new MessageReader(session, conversation)
  for (const message of messages) {
    const shown = reader.take(message)
    if (shown !== undefined) yield shown
  }
  return endConversation(session, conversation)
}

/** In their order. */
export function messagesOf(session: SessionRef): RecordFile[] {
  const storage = storageOf(session.filePath)
  return inOrder(recordFiles(messagesFolder(storage, session.sessionId)), path => createdAt(path, storage))
}

export function openConversation(session: SessionRef, hasMessages: boolean, branch?: string): ConversationBuilder {
  const file = readSessionFile(session, storageOf(session.filePath))
  if (file.type === 'gone' && !hasMessages) throw sessionGone(session)
  const info = file.type === 'read' ? infoFromFile(file.value) : {}
  assertBranch(session, info, branch)
  const conversation = new ConversationBuilder(session.sessionId, info, branch)
  if (file.type === 'read') {
    conversation.counts.records++
    noteFinding(conversation, file.finding)
  } else note(conversation, file.type === 'gone' ? { ...file, finding: headerLost(session) } : file)
  return conversation
}

export function endConversation(session: SessionRef, conversation: ConversationBuilder): ReadingEnd {
  return conversation.end(readWorktree(session, storageOf(session.filePath), conversation.info))
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
export class MessageReader {
  readonly #storage: string
  readonly #conversation: ConversationBuilder
  readonly #messageFiles = makeSmallFileReader()
  readonly #partFiles = makeSmallFileReader()
  #changedAt = 0

  constructor({ filePath }: SessionRef, conversation: ConversationBuilder) {
    this.#storage = storageOf(filePath)
    this.#conversation = conversation
  }

  /** When the latest of the files and folders that it has read was changed. A file that vanished was changed now. */
  get changedAt(): number {
    return Math.max(this.#changedAt, this.#messageFiles.changedAt, this.#partFiles.changedAt)
  }

  /** Undefined for a message of which nothing is shown. */
  take({ id, path }: RecordFile): Message | undefined {
    const conversation = this.#conversation
    const record = this.#read('message', id, path)
    if (record.type === 'read') noteFinding(conversation, record.finding)
    else note(conversation, record)
    const files = this.#list(partsFolder(this.#storage, id))
    const parts = files.flatMap(part => this.#takePart(part))
    const isRead = record.type === 'read'
    const value = isRead ? record.value : undefined
    return conversation.take({ id, value, parts, at: isRead ? record.at : record.finding.at })
  }

  #takePart({ id, path }: RecordFile): StoredPart[] {
    const record = this.#read('part', id, path)
    if (record.type === 'read') {
      noteFinding(this.#conversation, record.finding)
      return [{ id, value: record.value }]
    }
    note(this.#conversation, record)
    return []
  }

  #read(role: 'message' | 'part', id: string, path: string): RecordReading {
    const files = role === 'message' ? this.#messageFiles : this.#partFiles
    const record = readOwn(role, id, path, this.#storage, files.read)
    if (record.type === 'gone') this.#changedAt = Number.POSITIVE_INFINITY
    return record
  }

  /** A folder that is not there was changed when the one around it was. */
  #list(folder: string): RecordFile[] {
    const stats = statIfThere(folder, 'stat')
    if (stats !== undefined) {
      this.#changedAt = Math.max(this.#changedAt, Number(stats.ctimeMs))
      return recordsAmong(listKnownFolder(folder))
    }
    const around = statIfThere(dirname(folder), 'stat') ?? statPath(this.#storage)
    this.#changedAt = Math.max(this.#changedAt, Number(around.ctimeMs))
    return []
  }
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
