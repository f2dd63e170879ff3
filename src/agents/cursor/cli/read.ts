// Reads the database of one chat: the blobs that its root names, each verified by its hash. Missing blobs are
// reported, and the rest is given.

import { hash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { quote } from '../../../disk/files/system-errors.ts'
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { streamDatabase } from '../../../disk/sqlite/read-database.ts'
import type { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message, RowPlace } from '../../../model/message.ts'
import { quoteSql } from '../../../model/paste.ts'
import type { Reading, ReadingEnd, RecordCounts, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import { present } from '../../stores/values.ts'
import { interpret, titleOf } from '../blocks.ts'
import { pathOfUri } from '../places.ts'
import type { BlobIds } from './order.ts'
import { readOrder } from './order.ts'
import type { Sidecar } from './sidecar.ts'
import { readSidecar, realTitle } from './sidecar.ts'
import type { StoreFacts } from './store.ts'
import { BLOBS_AT_ONCE, examineTables, messageIn, readBlob, readProved, readStoreFacts } from './store.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  const read = (database: Database) => readStore(database, session)
  return streamDatabase(session.filePath, session.storeRoot, read, options)
}

function readStore(database: Database, session: SessionRef): Generator<Message, ReadingEnd, void> {
  const state = newState()
  const opened = openStore(database, session, state.findings)
  const order = readOrder(database, opened.stored, state.findings)
  return readMessages(database, { ids: order, first: 0 }, state, () =>
    endStore(session, opened, order.workspaces, state),
  )
}

/** The messages of some blobs, the first of which has this position in the chat. */
export function* readMessages<End>(
  database: Database,
  { ids: { count, idsBetween }, first }: { ids: BlobIds; first: number },
  state: ReadState,
  end: () => End,
): Generator<Message, End, void> {
  for (let start = 0; start < count; start += BLOBS_AT_ONCE) {
    const ids = idsBetween(start, Math.min(start + BLOBS_AT_ONCE, count))
    const proved = readProved(database, ids)
    for (let at = 0; at < ids.length; at++) {
      const blob = { id: ids[at] ?? '', proved: proved[at] }
      const message = readMessage(database, first + start + at, blob, state)
      if (message !== undefined) yield message
    }
  }
  return end()
}

/** What was met while messages were read. */
export interface ReadState {
  findings: Findings
  counts: RecordCounts
  notes: Notes
}

export interface Notes {
  prompt?: string
  /** Folders that the agent named to the model. */
  named: string[]
}

export function newState(): ReadState {
  return {
    findings: new Findings(),
    counts: { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 },
    notes: { named: [] },
  }
}

/** What is known of the session without its messages. */
export interface OpenedStore {
  sidecar: Sidecar
  stored: StoreFacts | undefined
}

export function openStore(database: Database, session: SessionRef, findings: Findings): OpenedStore {
  for (const unknown of examineTables(database)) noteTables(unknown, database, findings)
  const sidecar = readSidecar(dirname(session.filePath), session.storeRoot)
  if (sidecar.problem !== undefined) noteSidecar(sidecar, sidecar.problem, findings)
  return { sidecar, stored: readStoreFacts(database) }
}

export function endStore(
  session: SessionRef,
  { sidecar, stored }: OpenedStore,
  workspaces: readonly string[],
  { findings, counts, notes }: ReadState,
): ReadingEnd {
  const project = sidecar.fields.project ?? provedFolder([...workspaces, ...notes.named], session.filePath)
  const facts = factsFrom(session, sidecar, stored, notes.prompt, project)
  const common = { facts, counts, branches: [], continued: false }
  return endReading(common, findings, { parsedUpTo: 0, recovered: counts.records > 0 })
}

/**
 * Message ids are not unique in the database (every answer has "1"), so a message is identified by its place
 * and its blob. Undefined if it is lost.
 */
function readMessage(
  database: Database,
  position: number,
  { id: blobId, proved }: { id: string; proved: Buffer | undefined },
  { findings, counts, notes }: ReadState,
): Message | undefined {
  const at: RowPlace = { file: database.path, table: 'blobs', row: blobId }
  const blob = proved === undefined ? readBlob(database, blobId) : { type: 'proved' as const, bytes: proved }
  const value = blob.type === 'missing' ? undefined : messageIn(blob.bytes)
  // Bytes that are still a message are worth more than their hash.
  if (blob.type === 'missing' || (blob.type === 'altered' && value === undefined)) {
    counts.skipped++
    noteHole(at, blob.type, position, findings)
    return undefined
  }
  if (blob.type === 'altered') noteAltered(at, position, findings)
  counts.records++
  const id = `${position}-${blobId.slice(0, 16)}`
  if (value === undefined) {
    counts.unknown++
    const part = { type: 'unknown' as const, recordType: 'blob', value: { id: blobId, bytes: blob.bytes.length } }
    return { id, role: 'system', time: null, parts: [part], at }
  }
  const { message } = interpret({ role: value['role'], content: value['content'], id, at, record: value })
  countUnknown(counts, message.parts)
  const prompt = notes.prompt ?? titleOf(message)
  if (prompt !== undefined) notes.prompt = prompt
  addWorkspaces(message, notes.named)
  return message
}

function noteHole(at: RowPlace, type: 'altered' | 'missing', position: number, findings: Findings): void {
  const query = `SELECT hex(data) FROM blobs WHERE id = ${quoteSql(String(at.row))}`
  findings.add({
    damage: type === 'altered' ? 'altered-blob' : 'missing-blob',
    severity: 'lost',
    at,
    text:
      type === 'altered'
        ? `Message ${position + 1} was altered: its bytes do not have the hash it is stored under. It was left out.`
        : `Message ${position + 1} is missing from the store.`,
    hint: `Search for it: sqlite3 -readonly ${quote(at.file)} ${quote(query)}`,
  })
}

function noteAltered(at: RowPlace, position: number, findings: Findings): void {
  findings.add({
    damage: 'altered-blob',
    severity: 'lost',
    at,
    text: `Message ${position + 1} was altered: its bytes do not have the hash it is stored under. It is shown as it is.`,
    hint: `Compare it with the transcript, if there is one: rethread show ${quote(at.file)}`,
  })
}

function noteTables(unknown: RethreadError, database: Database, findings: Findings): void {
  findings.add({
    damage: 'unknown-tables',
    severity: 'lost',
    at: { file: database.path, table: 'sqlite_master', row: 0 },
    text: unknown.message,
    hint: unknown.hint,
  })
}

function noteSidecar(sidecar: Sidecar, problem: string, findings: Findings): void {
  findings.add({
    damage: 'lost-sidecar',
    severity: 'survived',
    at: { file: sidecar.path, start: 0, end: 0 },
    text: `${problem} The conversation is complete without it; its folder or title may be unknown.`,
    hint: `See it: ls -l ${quote(sidecar.path)}`,
  })
}

/** The agent tells the model where it works. The MD5 of the folder proves which of these texts is true. */
function addWorkspaces(message: Message, named: string[]): void {
  for (const part of message.parts) {
    if (part.type !== 'text' && part.type !== 'notice') continue
    const context = part.text.slice(0, CONTEXT_CHARACTERS)
    // Most texts name none, and this is much faster.
    if (!context.includes(WORKSPACE_WORDS)) continue
    for (const match of context.matchAll(WORKSPACE_PATH)) if (match[1] !== undefined) named.push(match[1].trim())
  }
}

const CONTEXT_CHARACTERS = 20_000
const WORKSPACE_WORDS = 'Workspace Path:'
const WORKSPACE_PATH = /^\s*Workspace Path:\s*(\S.*)$/gm

/** The database's folder is named by the MD5 of the project, which verifies the folder in the root. */
function provedFolder(workspaces: string[], storePath: string): string | undefined {
  const name = basename(dirname(dirname(storePath)))
  const paths = workspaces.map(address => pathOfUri(address) ?? address)
  return paths.findLast(path => hash('md5', path) === name)
}

function factsFrom(
  session: SessionRef,
  sidecar: Sidecar,
  stored: StoreFacts | undefined,
  prompt: string | undefined,
  project: string | undefined,
): SessionFacts {
  const { title, startedAt, updatedAt } = sidecar.fields
  return present<SessionFacts>({
    sessionId: session.sessionId,
    title: realTitle(title) ?? realTitle(stored?.name) ?? prompt ?? title ?? stored?.name,
    project,
    startedAt: stored?.startedAt ?? startedAt,
    updatedAt,
    model: stored?.model,
  })
}
