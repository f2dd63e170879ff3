// The fields of a session beside its messages: the same in a file of the tree and in a row of the database.

import { parseJson } from '../../bytes/json.ts'
import type { Row } from '../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import { asNumber, asObject, asText, asTime, type Json, present } from '../stores/values.ts'

export interface SessionInfo {
  title?: string
  directory?: string
  projectId?: string
  parentId?: string
  version?: string
  /** Milliseconds since 1970. */
  createdAt?: number
  updatedAt?: number
  revert?: Revert
}

/**
 * The person reverted: this message, or only its parts from `partId` on, and everything after it, is no
 * longer sent to the model.
 */
export interface Revert {
  messageId: string
  partId: string | undefined
}

export function infoFromFile(file: Json): SessionInfo {
  const time = asObject(file['time'])
  return present<SessionInfo>({
    title: asText(file['title']),
    directory: asText(file['directory']),
    projectId: asText(file['projectID']),
    parentId: asText(file['parentID']),
    version: asText(file['version']),
    createdAt: asMillis(time?.['created']),
    updatedAt: asMillis(time?.['updated']),
    revert: revertFrom(file['revert']),
  })
}

/** The columns of a session's row that are read, including `time_updated`. */
export const SESSION_COLUMNS = [
  'title',
  'directory',
  'project_id',
  'parent_id',
  'version',
  'time_created',
  'time_updated',
  'revert',
]

export function infoFromRow(row: Row): SessionInfo {
  const revert = asText(row['revert'])
  return present<SessionInfo>({
    title: asText(row['title']),
    directory: asText(row['directory']),
    projectId: asText(row['project_id']),
    parentId: asText(row['parent_id']),
    version: asText(row['version']),
    createdAt: asMillis(row['time_created']),
    updatedAt: asMillis(row['time_updated']),
    revert: revert === undefined ? undefined : revertFrom(parseJson(Buffer.from(revert))),
  })
}

/** A valid time. A flipped bit can give a year outside any calendar. */
export function asMillis(value: unknown): number | undefined {
  const number = asNumber(value)
  return asTime(number) === undefined ? undefined : number
}

function revertFrom(value: unknown): Revert | undefined {
  const revert = asObject(value)
  const messageId = asText(revert?.['messageID'])
  return messageId === undefined ? undefined : { messageId, partId: asText(revert?.['partID']) }
}

/** The title of a session until the agent has generated one. */
const PLACEHOLDER = /^(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z$/i

export function ownTitle(info: SessionInfo): string | undefined {
  return info.title === undefined || PLACEHOLDER.test(info.title) ? undefined : info.title
}

/**
 * The worktree of a project. The project for folders without version control has the root of the disk, which
 * says nothing.
 */
export function worktreeOf(projectId: string | undefined, worktree: unknown): string | undefined {
  return projectId === 'global' ? undefined : asText(worktree)
}

/**
 * A missing branch is an error, not an empty conversation. The agent deletes a branch with the next prompt.
 */
export function assertBranch(session: SessionRef, info: SessionInfo, branch: string | undefined): void {
  if (branch === undefined || branch === info.revert?.messageId) return
  throw new RethreadError({
    code: 'session-not-found',
    text: `Session ${session.sessionId} has no branch ${branch}.`,
    hint: `See which there are: ${paste('rethread show', session.sessionId)}`,
    path: session.filePath,
  })
}
