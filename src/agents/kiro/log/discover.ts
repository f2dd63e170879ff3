// Finds logs: pairs of files (`cli`), or folders (`v3`).
import { basename, join } from 'node:path'
import { exists, identityOf, statPath } from '../../../disk/files/read.ts'
import { failureOf, RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { Found, Location } from '../../store.ts'
import { foundFile, listInside, listStore } from '../../stores/list-folders.ts'
import { present } from '../../stores/values.ts'
import { readMetadataHead } from './metadata.ts'
import { metadataPath } from './read.ts'

const AGENT = 'kiro'
export const CLI = 'cli'
export const V3 = 'v3'
/** A separate store for sessions without a log, which must not be repaired as logs. */
export const WITHOUT_LOG = 'without-log'

/** `<id>.jsonl` with `<id>.json` beside it. Either may be missing. */
export async function* discoverPairs(location: Location): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, location)
  yield* listing.failures
  const names = new Set(listing.files.map(file => file.name))
  for (const file of listing.files) {
    if (file.name.endsWith('.jsonl')) yield foundLog(CLI, location, file.path, basename(file.name, '.jsonl'))
    else if (file.name.endsWith('.json') && !names.has(`${file.name}l`))
      yield foundMetadata(location, file.path, basename(file.name, '.json'))
  }
}

/** `<workspace>/<session>/messages.jsonl` with `session.json` beside it, and the logs of subagents below. */
export async function* discoverFolders(location: Location): AsyncGenerator<Found, void, void> {
  const workspaces = listStore(AGENT, location)
  yield* workspaces.failures
  for (const workspace of workspaces.folders) {
    // The older store is in a subfolder of this one.
    if (workspace.name === CLI) continue
    const sessions = listInside(AGENT, location, workspace.path)
    yield* sessions.failures
    for (const session of sessions.folders) yield* discoverFolder(location, session.path, session.name)
  }
}

function* discoverFolder(location: Location, path: string, sessionId: string): Generator<Found, void, void> {
  const listing = listInside(AGENT, location, path)
  yield* listing.failures
  const names = new Set(listing.files.map(file => file.name))
  if (names.has('messages.jsonl')) yield foundLog(V3, location, join(path, 'messages.jsonl'), sessionId)
  else if (names.has('session.json')) yield foundMetadata(location, join(path, 'session.json'), sessionId)
  if (!listing.folders.some(folder => folder.name === 'sub-executions')) return
  const subAgents = listInside(AGENT, location, join(path, 'sub-executions'))
  yield* subAgents.failures
  for (const file of subAgents.files)
    if (file.name.endsWith('.jsonl'))
      yield foundFile(AGENT, location, file.path, {
        sessionId: basename(file.name, '.jsonl'),
        generation: V3,
        subagentOf: sessionId,
      })
}

function foundLog(generation: string, location: Location, path: string, sessionId: string): Found {
  try {
    const metadata = metadataPath(path)
    const isThere = exists(metadata)
    const keys = [path, ...(isThere ? [metadata] : [])].map(file => identityOf(statPath(file)).mark)
    return foundFile(AGENT, location, path, {
      sessionId,
      generation,
      identity: keys.join('|'),
      ...(isThere ? listed(metadata, location) : {}),
    })
  } catch (error) {
    return { type: 'failure', failure: failureOf(AGENT, error, path) }
  }
}

function foundMetadata(location: Location, path: string, sessionId: string): Found {
  return foundFile(AGENT, location, path, { sessionId, generation: WITHOUT_LOG, ...listed(path, location) })
}

/**
 * What the metadata file says. Of a pair it also names the session, whatever the files are called. Reading
 * reports its problems. Here they must not hide the session.
 */
function listed(path: string, location: Location): Partial<SessionRef> {
  try {
    const { sessionId, title, project, subagentOf } = readMetadataHead(path, location.root)
    const isPair = basename(path) !== 'session.json'
    return present<Partial<SessionRef>>({ sessionId: isPair ? sessionId : undefined, title, project, subagentOf })
  } catch (error) {
    if (error instanceof RethreadError) return {}
    throw error
  }
}
