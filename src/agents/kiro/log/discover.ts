// Where each generation's sessions are found: rows of a database, pairs of files, folders, documents.
import { basename, join } from 'node:path'
import { exists, identityOf, statPath } from '../../../disk/files/read.ts'
import { failureOf, RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { DiscoverOptions, Found, Store } from '../../agent.ts'
import { foundFile, listInside, listStore } from '../../stores/discovering.ts'
import { present } from '../../stores/values.ts'
import { discoverDatabase } from '../database/discover.ts'
import { discoverIde } from '../ide/discover.ts'
import { readMetadataHead } from './metadata.ts'
import { metadataPath } from './read.ts'

export const AGENT = 'kiro'
/** Kept apart from the sessions that have a log: what is found there is no log, and must not be mended as one. */
export const WITHOUT_LOG = 'without-log'

export async function* discover(store: Store, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  switch (store.generation) {
    case 'database':
      return yield* discoverDatabase(store, options)
    case 'cli':
      return yield* discoverPairs(store)
    case 'v3':
      return yield* discoverFolders(store)
    default:
      return yield* discoverIde(store)
  }
}

/** `<id>.jsonl` with `<id>.json` beside it; either may be all that is left. */
function* discoverPairs(store: Store): Generator<Found, void, void> {
  const listing = listStore(AGENT, store)
  yield* listing.failures
  const names = new Set(listing.files.map(file => file.name))
  for (const file of listing.files) {
    if (file.name.endsWith('.jsonl')) yield foundLog(store, file.path, basename(file.name, '.jsonl'))
    else if (file.name.endsWith('.json') && !names.has(`${file.name}l`))
      yield foundMetadata(store, file.path, basename(file.name, '.json'))
  }
}

/** `<workspace>/<session>/messages.jsonl` with `session.json` beside it, and the logs of sub-agents below. */
function* discoverFolders(store: Store): Generator<Found, void, void> {
  const workspaces = listStore(AGENT, store)
  yield* workspaces.failures
  for (const workspace of workspaces.folders) {
    // The generation before lives in a folder of the same one.
    if (workspace.name === 'cli') continue
    const sessions = listInside(AGENT, store, workspace.path)
    yield* sessions.failures
    for (const session of sessions.folders) yield* discoverFolder(store, session.path, session.name)
  }
}

function* discoverFolder(store: Store, path: string, sessionId: string): Generator<Found, void, void> {
  const listing = listInside(AGENT, store, path)
  yield* listing.failures
  const names = new Set(listing.files.map(file => file.name))
  if (names.has('messages.jsonl')) yield foundLog(store, join(path, 'messages.jsonl'), sessionId)
  else if (names.has('session.json')) yield foundMetadata(store, join(path, 'session.json'), sessionId)
  if (!listing.folders.some(folder => folder.name === 'sub-executions')) return
  const subAgents = listInside(AGENT, store, join(path, 'sub-executions'))
  yield* subAgents.failures
  for (const file of subAgents.files)
    if (file.name.endsWith('.jsonl'))
      yield foundFile(AGENT, store, file.path, { sessionId: basename(file.name, '.jsonl'), subagentOf: sessionId })
}

function foundLog(store: Store, path: string, sessionId: string): Found {
  try {
    const metadata = metadataPath(path)
    const isThere = exists(metadata)
    const keys = [path, ...(isThere ? [metadata] : [])].map(file => identityOf(statPath(file)).mark)
    return foundFile(AGENT, store, path, {
      sessionId,
      identity: keys.join('|'),
      ...(isThere ? listed(metadata, store) : {}),
    })
  } catch (error) {
    return { type: 'failure', failure: failureOf(AGENT, error, path) }
  }
}

function foundMetadata(store: Store, path: string, sessionId: string): Found {
  return foundFile(AGENT, store, path, { sessionId, generation: WITHOUT_LOG, ...listed(path, store) })
}

/** What the file beside the log tells for free. Reading says what is wrong with it; here it must not hide the session. */
function listed(path: string, store: Store): Partial<SessionRef> {
  try {
    const { title, project, subagentOf } = readMetadataHead(path, store.root)
    return present<Pick<SessionRef, 'title' | 'project' | 'subagentOf'>>({ title, project, subagentOf })
  } catch (error) {
    if (error instanceof RethreadError) return {}
    throw error
  }
}
