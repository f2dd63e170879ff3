// Rebuilds the file of a session from its remains, its messages, its name, and the files of the projects.
import { basename, dirname } from 'node:path'
import { closeObject } from '../../../bytes/close-object.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ParsedTreeFile, Rebuilt } from '../../repair.ts'
import { titleFrom } from '../../stores/title.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asNumber, asObject, asText, present } from '../../stores/values.ts'
import { timeOfId } from '../id-time.ts'
import { isOwnWords } from '../parts.ts'
import { findParent } from './parent.ts'
import {
  messagesFolder,
  projectFile,
  projectsFolder,
  readRecord,
  recordFiles,
  sessionFile,
  storageOf,
} from './records.ts'

/** OpenCode requires a version and a slug. No other file has them, and nothing depends on them. */
const NO_VERSION = '0.0.0'

export function rebuildSession(session: SessionRef, files: readonly ParsedTreeFile[]): Rebuilt {
  const root = files.find(file => file.role === 'session')
  const left = root === undefined ? {} : (closeObject(root.bytes, [])[0]?.value ?? {})
  const told = tell(files)
  if (told.messages === 0) return { refused: 'no readable message is left to rebuild the session from' }
  const storage = storageOf(session.filePath)
  const directory = asText(left['directory']) ?? told.cwd
  if (directory === undefined) return { refused: 'no message names its folder' }
  const projectID = projectOf(session, storage, told)
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
      (root === undefined || left['title'] === undefined ? findParent(storage, id, told.first) : undefined),
    title: asText(left['title']) ?? told.title ?? `New session - ${new Date(told.created).toISOString()}`,
    permission: asArray(left['permission']),
    time: timesOf(id, left, told),
    revert: asObject(left['revert']),
  })
  const file = root?.file ?? sessionFile(storage, projectID, id)
  const bytes = Buffer.from(JSON.stringify(value, null, 2))
  return { file, bytes, reason: 'Rebuild it from its messages, its name and what is left of it' }
}

interface Told {
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
function tell(files: readonly ParsedTreeFile[]): Told {
  const told: Told = {
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
    if (file.role === 'part' && told.title === undefined && isOfUser) {
      const { value } = file
      if (value !== undefined && isOwnWords(value)) told.title = titleFrom(asText(value['text']) ?? '')
    }
    if (file.role !== 'message' || file.value === undefined) continue
    const { value } = file
    const time = asObject(value['time'])
    const path = asObject(value['path'])
    const created = asNumber(time?.['created']) ?? 0
    isOfUser = value['role'] === 'user'
    told.messages++
    told.first ||= file.id
    told.cwd ??= asText(path?.['cwd'])
    told.worktree ??= asText(path?.['root'])
    if (told.created === 0) told.created = created
    told.updated = Math.max(told.updated, created, asNumber(time?.['completed']) ?? 0)
  }
  return told
}

function timesOf(id: string, left: Json, { created, updated }: Told): Json {
  const time = asObject(left['time'])
  return present<Json>({
    created: asNumber(time?.['created']) ?? timeOfId(id, created) ?? created,
    updated: asNumber(time?.['updated']) ?? updated,
    archived: asNumber(time?.['archived']),
  })
}

/** The folder that holds the file, or the project whose files the messages are about. */
function projectOf({ sessionId, filePath }: SessionRef, storage: string, { worktree }: Told): string | undefined {
  if (filePath !== messagesFolder(storage, sessionId)) return basename(dirname(filePath))
  const projects = recordFiles(projectsFolder(storage)).filter(({ id }) => {
    const record = readRecord(projectFile(storage, id), storage)
    if (record.type !== 'read' || worktree === undefined) return false
    return [record.value['worktree'], ...(asArray(record.value['sandboxes']) ?? [])].includes(worktree)
  })
  return projects.length === 1 ? projects[0]?.id : undefined
}
