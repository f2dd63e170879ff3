// The sessions of the tree: by their files or, if such a file is gone, by their messages. Sessions that are
// already in a database are left out.
import { createHash } from 'node:crypto'
import { statIfThere } from '../../../disk/files/handles.ts'
import { identityOf, listKnownFolder, statPath } from '../../../disk/files/read.ts'
import { type Database, type Row, readDatabase } from '../../../disk/sqlite/read-database.ts'
import { failureOf, hasErrorCode, RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DiscoverOptions, Found, Location } from '../../store.ts'
import { listInside, listStore } from '../../stores/list-folders.ts'
import { present } from '../../stores/values.ts'
import { sessionTables } from '../database/rows.ts'
import { AGENT, databasesOf } from '../places.ts'
import type { SessionInfo } from '../session-info.ts'
import { infoFromFile, ownTitle } from '../session-info.ts'
import { isRecordFile, messagesFolder, partsFolder, readRecord, recordFile, recordsAmong } from './records.ts'

export const TREE = 'tree'

export async function* discover(location: Location, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  const { folders, failures } = listStore(AGENT, location)
  if (folders.length > 0) {
    const seen = await idsInDatabases(options)
    for (const { name, path } of folders)
      if (name === 'session') yield* discoverProjects(location, path, seen, failures)
    // If a project cannot be listed, its sessions are not gone: the failure covers them.
    const messages = folders.find(({ name }) => name === 'message')
    if (failures.length === 0 && messages !== undefined) yield* discoverByMessages(location, messages.path, seen)
  }
  yield* failures
}

function* discoverProjects(
  location: Location,
  folder: string,
  seen: Set<string>,
  failures: Found[],
): Generator<Found, void, void> {
  const projects = listInside(AGENT, location, folder)
  failures.push(...projects.failures)
  for (const project of projects.folders) {
    const listing = listInside(AGENT, location, project.path)
    failures.push(...listing.failures)
    for (const { id, path } of listing.files.filter(isRecordFile).map(recordFile)) {
      if (seen.has(id)) continue
      seen.add(id)
      yield foundSession(location, id, path)
    }
  }
}

function* discoverByMessages(location: Location, folder: string, seen: Set<string>): Generator<Found, void, void> {
  const listing = listInside(AGENT, location, folder)
  yield* listing.failures
  for (const { name, path } of listing.folders) {
    if (seen.has(name)) continue
    // The agent removes the files of a deleted session, but leaves their folders.
    const inside = listInside(AGENT, location, path)
    if (inside.files.some(isRecordFile)) yield foundSession(location, name, path)
    else yield* inside.failures
  }
}

/**
 * Ids of the sessions that were migrated. A database that cannot be read hides nothing: it is a failure of
 * its own store.
 */
async function idsInDatabases(options: DiscoverOptions): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const { path, root } of databasesOf(options.environment)) {
    try {
      const list = (database: Database): Row[] =>
        sessionTables(database).flatMap(table => database.all(`SELECT id FROM ${table}`))
      const rows = await readDatabase(path, root, list, options)
      for (const row of rows) ids.add(String(row['id']))
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
    }
  }
  return ids
}

function foundSession(location: Location, sessionId: string, filePath: string): Found {
  try {
    return { type: 'session', session: sessionRef(location, sessionId, filePath) }
  } catch (error) {
    return { type: 'failure', failure: failureOf(AGENT, error, filePath) }
  }
}

function sessionRef(location: Location, sessionId: string, filePath: string): SessionRef {
  const record = recordFileOf(filePath, location)
  const info: SessionInfo = record === undefined ? {} : infoFromFile(record)
  const files = filesOf(location.path, sessionId, filePath)
  return {
    agent: AGENT,
    sessionId,
    filePath,
    generation: TREE,
    storeRoot: location.root,
    updatedAt: info.updatedAt ?? files.changedAt,
    fileSize: files.bytes,
    identity: files.identity,
    ...present<Pick<SessionRef, 'title' | 'project' | 'messageCount' | 'subagentOf'>>({
      title: ownTitle(info),
      project: info.directory,
      messageCount: info.revert === undefined ? files.messages : undefined,
      subagentOf: info.parentId,
    }),
  }
}

/** Undefined if the session's file is gone or not readable. Reading reports it. */
function recordFileOf(filePath: string, location: Location) {
  if (!filePath.endsWith('.json')) return undefined
  const record = readRecord(filePath, location.root)
  return record.type === 'read' ? record.value : undefined
}

interface SessionFiles {
  messages: number
  bytes: number
  changedAt: number
  identity: string
}

/**
 * Parts are rewritten in place, which does not change their folder. So every file is statted, but none is
 * opened.
 */
function filesOf(storage: string, sessionId: string, filePath: string): SessionFiles {
  const hash = createHash('sha256')
  const sum = { bytes: 0, changedAt: 0 }
  const add = (path: string) => {
    try {
      const { mark, size, mtimeMs } = identityOf(statPath(path))
      hash.update(`${path}\n${mark}\n`)
      sum.bytes += size
      sum.changedAt = Math.max(sum.changedAt, mtimeMs)
    } catch (error) {
      // The file was removed a moment ago, so it is no longer a part of the session.
      if (!hasErrorCode(error, 'not-found')) throw error
    }
  }
  /**
   * The agent fails on a file among them that is not a record. The folder's time shows that one was added or
   * removed.
   */
  const recordsIn = (folder: string) => {
    const stats = statIfThere(folder)
    if (stats === undefined) return []
    hash.update(`${folder}\n${identityOf(stats).mark}\n`)
    return recordsAmong(listKnownFolder(folder))
  }
  if (filePath.endsWith('.json')) add(filePath)
  const messages = recordsIn(messagesFolder(storage, sessionId))
  for (const message of messages) {
    add(message.path)
    for (const part of recordsIn(partsFolder(storage, message.id))) add(part.path)
  }
  return { messages: messages.length, ...sum, identity: hash.digest('hex') }
}
