// The tree of small files: storage/session/<project>/<session>.json, message/<session>/<message>.json,
// part/<message>/<part>.json.
import { basename, dirname, join } from 'node:path'
import { closeObject } from '../../../bytes/close-object.ts'
import { parseJson } from '../../../bytes/json.ts'
import { type FolderEntry, listFolder, readSmallFile } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { hasErrorCode } from '../../../model/errors.ts'
import type { Finding } from '../../../model/finding.ts'
import type { FilePlace } from '../../../model/message.ts'
import { asObject, type Json } from '../../stores/values.ts'

const SUFFIX = '.json'
/** JavaScript strings are limited to 512 MiB. One part may hold a whole file that was read or attached. */
const MAX_RECORD_BYTES = 256 * 1024 * 1024

/** `filePath` is the session's file, or the folder of its messages if that file is gone. */
export function storageOf(filePath: string): string {
  return filePath.endsWith(SUFFIX) ? dirname(dirname(dirname(filePath))) : dirname(dirname(filePath))
}

/** The folder with a folder for each session. */
export function sessionMessagesFolder(storage: string): string {
  return join(storage, 'message')
}

export function messagesFolder(storage: string, sessionId: string): string {
  return join(sessionMessagesFolder(storage), sessionId)
}

export function partsFolder(storage: string, messageId: string): string {
  return join(storage, 'part', messageId)
}

export function sessionsFolder(storage: string): string {
  return join(storage, 'session')
}

export function sessionFile(storage: string, projectId: string, sessionId: string): string {
  return join(sessionsFolder(storage), projectId, sessionId + SUFFIX)
}

export function projectsFolder(storage: string): string {
  return join(storage, 'project')
}

export function projectFile(storage: string, projectId: string): string {
  return join(projectsFolder(storage), projectId + SUFFIX)
}

export interface RecordFile {
  id: string
  path: string
}

/**
 * The records in a folder by id, which grows with time. A missing folder has none, as for a message without
 * parts.
 */
export function recordFiles(folder: string): RecordFile[] {
  return recordsAmong(listFolder(folder))
}

export function recordsAmong(entries: FolderEntry[]): RecordFile[] {
  return entries.filter(isRecordFile).map(recordFile)
}

export function isRecordFile(entry: FolderEntry): boolean {
  return entry.name.endsWith(SUFFIX)
}

export function recordFile(entry: FolderEntry): RecordFile {
  return { id: basename(entry.name, SUFFIX), path: entry.path }
}

export type RecordReading =
  /** With a finding if the file is damaged but could still be read. */
  | { type: 'read'; value: Json; at: FilePlace; finding?: Finding }
  | { type: 'unreadable'; finding: Finding }
  | { type: 'gone'; finding: Finding }

/** Reads a whole file inside of a folder. */
export type ReadFile = (path: string, storage: string, limitBytes: number) => Buffer

/** The top-level fields whose text is worth saving if the file was cut in the middle of it. */
export const TEXTS: readonly string[] = ['text']

/**
 * The content of the file, or why it is unknown. Throws for a missing permission, a failing disk or a link
 * out of the store. A damaged file is read as after a repair, if the result `isUsable`.
 */
export function readRecord(
  path: string,
  storage: string,
  isUsable: (value: Json) => boolean = () => false,
  readFile: ReadFile = readSmallFile,
): RecordReading {
  try {
    const bytes = readFile(path, storage, MAX_RECORD_BYTES)
    const at = { file: path, start: 0, end: bytes.length }
    const value = asObject(parseJson(bytes))
    if (value !== undefined) return { type: 'read', value, at }
    const closing = closeObject(bytes, TEXTS).find(candidate => isUsable(candidate.value))
    if (closing === undefined) return { type: 'unreadable', finding: malformed(at) }
    return { type: 'read', value: closing.value, at, finding: repairable(at, closing.isWhole) }
  } catch (error) {
    if (hasErrorCode(error, 'not-found')) return { type: 'gone', finding: vanished(path) }
    if (hasErrorCode(error, 'not-a-session')) return { type: 'unreadable', finding: tooLong(path) }
    throw error
  }
}

function malformed(at: FilePlace): Finding {
  const what = at.end === 0 ? 'is empty' : 'is not JSON'
  return {
    damage: 'malformed-record',
    severity: 'lost',
    at,
    text: `${at.file} ${what}: it was cut short, or is being written. It was left out.`,
    hint: `If the agent is running, read again in a moment. Otherwise see what is left of it: head -c 200 ${quote(at.file)}`,
  }
}

function repairable(at: FilePlace, isWhole: boolean): Finding {
  const shown = isWhole ? 'it is shown as a repair would leave it' : 'the complete part is shown'
  return {
    damage: 'malformed-record',
    severity: isWhole ? 'survived' : 'lost',
    at,
    text: `${at.file} is not JSON; ${shown}.`,
    hint: `If the agent is running, read again in a moment. Otherwise see how it begins: head -c 200 ${quote(at.file)}`,
  }
}

function vanished(path: string): Finding {
  return {
    damage: 'vanished-record',
    severity: 'updating',
    at: { file: path, start: 0, end: 0 },
    text: `${path} was there a moment ago and is gone: the agent is changing the session.`,
    hint: 'Read again in a moment.',
  }
}

function tooLong(path: string): Finding {
  return {
    damage: 'record-too-long',
    severity: 'lost',
    at: { file: path, start: 0, end: 0 },
    text: `${path} is longer than ${MAX_RECORD_BYTES} bytes. It was left out.`,
    hint: `See how it begins: head -c 200 ${quote(path)}`,
  }
}

// The order of records by id. Ids grow with time, but their clock wraps every 2^36 milliseconds (about 2.2
// years; the last time in August 2026).

/** `msg_` and 12 digits: the lower 48 bits of the time in 1/4096 of a millisecond. */
const CLOCK = /^[a-z]+_([\da-f]{12})/
const HALF_ROUND = 2 ** 47

/** Files come sorted by id. The times in the files are read only if that may not be chronological. */
export function inOrder(files: RecordFile[], createdAt: (path: string) => number | undefined): RecordFile[] {
  if (!mayHaveStartedOver(files)) return files
  let last = 0
  // A file without a time stays after the one before it.
  const timed = files.map(file => {
    last = createdAt(file.path) ?? last
    return { file, time: last }
  })
  return timed.sort((a, b) => a.time - b.time).map(({ file }) => file)
}

/** A gap of more than half a period is a wrap of the clock, or a session that was resumed after a year. */
function mayHaveStartedOver(files: RecordFile[]): boolean {
  let previous: number | undefined
  for (const { id } of files) {
    const clock = Number.parseInt(CLOCK.exec(id)?.[1] ?? '', 16)
    if (Number.isNaN(clock)) continue
    if (previous !== undefined && clock - previous > HALF_ROUND) return true
    previous = clock
  }
  return false
}
