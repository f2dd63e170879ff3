// Rebuilds the file of a session from its remains, its messages, its name, and the files of the projects.

import { basename, dirname } from 'node:path'
import { closeObject } from '../../../bytes/close-object.ts'
import { listFolder } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ParsedTreeFile, Rebuilt } from '../../repair.ts'
import { titleFrom } from '../../stores/title.ts'
import { asArray, asNumber, asObject, asText, type Json, present } from '../../stores/values.ts'
import { timeOfId } from '../id-time.ts'
import { isOwnWords } from '../parts.ts'
import {
  messagesFolder,
  partsFolder,
  projectFile,
  projectsFolder,
  readRecord,
  recordFiles,
  sessionFile,
  sessionMessagesFolder,
  storageOf,
} from './records.ts'

/** OpenCode requires a version and a slug. No other file has them, and nothing depends on them. */
const NO_VERSION = '0.0.0'

export function rebuildSessionFile(session: SessionRef, files: readonly ParsedTreeFile[]): Rebuilt {
  const root = files.find(file => file.role === 'session')
  const left = root === undefined ? {} : (closeObject(root.bytes, [])[0]?.value ?? {})
  const facts = factsOf(files)
  if (facts.messages === 0) return { refused: 'no readable message is left to rebuild the session from' }
  const storage = storageOf(session.filePath)
  const directory = asText(left['directory']) ?? facts.cwd
  if (directory === undefined) return { refused: 'no message names its folder' }
  const projectID = projectOf(session, storage, facts)
  if (projectID === undefined) return { refused: 'its project is not known' }
  const { sessionId: id } = session
  const value = present<Json>({
    id,
    slug: asText(left['slug']) ?? id,
    version: asText(left['version']) ?? NO_VERSION,
    projectID,
    directory,
    parentID:
      asText(left['parentID']) ??
      (root === undefined || left['title'] === undefined ? findParent(storage, id, facts.first) : undefined),
    title: asText(left['title']) ?? facts.title ?? `New session - ${new Date(facts.created).toISOString()}`,
    permission: asArray(left['permission']),
    time: timesOf(id, left, facts),
    revert: asObject(left['revert']),
  })
  const file = root?.file ?? sessionFile(storage, projectID, id)
  const bytes = Buffer.from(JSON.stringify(value, null, 2))
  return { file, bytes, reason: 'Rebuild it from its messages, its name and what is left of it' }
}

interface MessageFacts {
  messages: number
  /** The id of the first message. */
  first: string
  title: string | undefined
  cwd: string | undefined
  worktree: string | undefined
  created: number
  updated: number
}

/** What the messages say about their session. */
function factsOf(files: readonly ParsedTreeFile[]): MessageFacts {
  const facts: MessageFacts = {
    messages: 0,
    first: '',
    title: undefined,
    cwd: undefined,
    worktree: undefined,
    created: 0,
    updated: 0,
  }
  let isOfUser = false
  for (const file of files) {
    if (file.role === 'part' && facts.title === undefined && isOfUser) {
      const { value } = file
      if (value !== undefined && isOwnWords(value)) facts.title = titleFrom(asText(value['text']) ?? '')
    }
    if (file.role !== 'message' || file.value === undefined) continue
    const { value } = file
    const time = asObject(value['time'])
    const path = asObject(value['path'])
    const created = asNumber(time?.['created']) ?? 0
    isOfUser = value['role'] === 'user'
    facts.messages++
    facts.first ||= file.id
    facts.cwd ??= asText(path?.['cwd'])
    facts.worktree ??= asText(path?.['root'])
    if (facts.created === 0) facts.created = created
    facts.updated = Math.max(facts.updated, created, asNumber(time?.['completed']) ?? 0)
  }
  return facts
}

function timesOf(id: string, left: Json, { created, updated }: MessageFacts): Json {
  const time = asObject(left['time'])
  return present<Json>({
    created: asNumber(time?.['created']) ?? timeOfId(id, created) ?? created,
    updated: asNumber(time?.['updated']) ?? updated,
    archived: asNumber(time?.['archived']),
  })
}

/** The folder that holds the file, or the project whose files the messages are about. */
function projectOf(
  { sessionId, filePath }: SessionRef,
  storage: string,
  { worktree }: MessageFacts,
): string | undefined {
  if (filePath !== messagesFolder(storage, sessionId)) return basename(dirname(filePath))
  const projects = recordFiles(projectsFolder(storage)).filter(({ id }) => {
    const record = readRecord(projectFile(storage, id), storage)
    if (record.type !== 'read' || worktree === undefined) return false
    return [record.value['worktree'], ...(asArray(record.value['sandboxes']) ?? [])].includes(worktree)
  })
  return projects.length === 1 ? projects[0]?.id : undefined
}

/** How many messages are searched. Other sessions may have run at the same time, but not more. */
const MAX_MESSAGES = 200

/** `first` is the id of the session's first message: the call was made before it. */
function findParent(storage: string, sessionId: string, first: string): string | undefined {
  const earlier = listFolder(sessionMessagesFolder(storage))
    .filter(folder => folder.isFolder && folder.name !== sessionId)
    .flatMap(folder =>
      recordFiles(messagesFolder(storage, folder.name)).map(({ id }) => ({ id, session: folder.name })),
    )
    .filter(({ id }) => id < first)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
  return earlier.slice(0, MAX_MESSAGES).find(({ id }) => startsSession(storage, id, sessionId))?.session
}

function startsSession(storage: string, messageId: string, sessionId: string): boolean {
  return recordFiles(partsFolder(storage, messageId)).some(({ path }) => {
    const record = readRecord(path, storage)
    if (record.type !== 'read' || record.value['type'] !== 'tool') return false
    return asObject(asObject(record.value['state'])?.['metadata'])?.['sessionId'] === sessionId
  })
}
