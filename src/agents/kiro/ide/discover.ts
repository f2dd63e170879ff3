// The editor's storage: `workspace-sessions/<path in base64>/<id>.json` with an index beside them, and
// folders of `.chat` files.
import { basename, join } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { exists, type FolderEntry, readOptionalFile } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { failureOf, RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { Found, Location } from '../../store.ts'
import { foundFile, listInside, listStore } from '../../stores/list-folders.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asText, present } from '../../stores/values.ts'
import { folderMark, unnamedLogs } from './execution-files.ts'
import { EXECUTIONS, executionsFolder, workspaceHash } from './executions.ts'
import { folderFromName } from './read.ts'

const AGENT = 'kiro'
const SESSIONS = 'workspace-sessions'
const INDEX = 'sessions.json'

export const IDE = 'ide'

export async function* discover(location: Location): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, location)
  yield* listing.failures
  const projects = projectsByHash(location)
  const documents: string[] = []
  const noted = function* (sessions: Generator<Found, void, void>): Generator<Found, void, void> {
    for (const found of sessions) {
      if (found.type === 'session') documents.push(found.session.filePath)
      yield found
    }
  }
  for (const folder of listing.folders) {
    if (folder.name === SESSIONS) yield* noted(discoverWorkspaces(location, folder.path))
    else yield* noted(discoverChats(location, folder.path, projects.get(folder.name)))
  }
  yield* noted(chatsAmong(location, listing.files))
  for (const folder of listing.folders)
    if (folder.name !== SESSIONS && exists(join(folder.path, EXECUTIONS)))
      yield* unnamedLogs(location, join(folder.path, EXECUTIONS), projects.get(folder.name), documents)
}

function* discoverChats(location: Location, folder: string, project: string | undefined): Generator<Found, void, void> {
  const listing = listInside(AGENT, location, folder)
  yield* listing.failures
  yield* chatsAmong(location, listing.files, project)
}

function* chatsAmong(location: Location, files: FolderEntry[], project?: string): Generator<Found, void, void> {
  for (const file of files) if (file.name.endsWith('.chat')) yield foundChat(location, file.path, project)
}

function foundChat(location: Location, path: string, project?: string): Found {
  const known = present<Pick<SessionRef, 'project'>>({ project })
  return foundFile(AGENT, location, path, { sessionId: basename(path, '.chat'), generation: IDE, ...known })
}

/**
 * The folders of `.chat` files are named by a hash of the project, which the folders of sessions name.
 * Failures are reported where the sessions themselves are listed.
 */
function projectsByHash(location: Location): Map<string, string> {
  const { folders } = listInside(AGENT, location, join(location.path, SESSIONS))
  const projects = folders.flatMap(({ name }) => folderFromName(name) ?? [])
  return new Map(projects.map(project => [workspaceHash(project), project]))
}

function* discoverWorkspaces(location: Location, path: string): Generator<Found, void, void> {
  const workspaces = listInside(AGENT, location, path)
  yield* workspaces.failures
  for (const workspace of workspaces.folders) yield* discoverWorkspace(location, workspace.path, workspace.name)
}

function* discoverWorkspace(location: Location, path: string, name: string): Generator<Found, void, void> {
  const listing = listInside(AGENT, location, path)
  yield* listing.failures
  const index = new Map<string, Json>()
  try {
    for (const entry of readIndex(join(path, INDEX), location)) index.set(asText(entry['sessionId']) ?? '', entry)
  } catch (error) {
    yield { type: 'failure', failure: failureOf(AGENT, error, join(path, INDEX)) }
  }
  for (const file of listing.files) {
    if (file.name.endsWith('.chat')) yield foundChat(location, file.path)
    if (!file.name.endsWith('.json') || file.name === INDEX) continue
    const sessionId = basename(file.name, '.json')
    const known = listed(index.get(sessionId), name)
    yield withExecutions(
      location,
      known.project,
      foundFile(AGENT, location, file.path, { sessionId, generation: IDE, ...known }),
    )
    index.delete(sessionId)
  }
  index.delete('')
  for (const sessionId of index.keys())
    yield { type: 'failure', failure: failureOf(AGENT, missing(join(path, `${sessionId}.json`))) }
}

/** A session changes with its execution logs, too. */
function withExecutions(location: Location, project: string | undefined, found: Found): Found {
  const folder = project === undefined ? undefined : executionsFolder(location.root, project)
  const mark =
    found.type !== 'session' || folder === undefined || !exists(folder) ? undefined : folderMark(location, folder)
  if (found.type !== 'session' || mark === undefined) return found
  return { ...found, session: { ...found.session, identity: `${found.session.identity}|${mark}` } }
}

function readIndex(path: string, location: Location): Json[] {
  const bytes = readOptionalFile(path, location.root)
  if (bytes === undefined) return []
  const entries = asArray(parseJson(bytes))
  if (entries !== undefined) return entries.map(asObject).filter(entry => entry !== undefined)
  throw new RethreadError({
    code: 'not-a-session',
    text: `${path} is not a JSON list: Kiro will not list the sessions beside it. They were found by their names.`,
    hint: `See how it begins: head -c 200 ${quote(path)}`,
    path,
  })
}

function missing(path: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `Kiro lists a session whose file is gone: ${path}`,
    hint: `Look for a copy beside it: ls -la ${quote(path)}*`,
    path,
  })
}

function listed(entry: Json | undefined, folderName: string): Partial<SessionRef> {
  return present<Pick<SessionRef, 'title' | 'project'>>({
    title: asText(entry?.['title']),
    project: asText(entry?.['workspaceDirectory']) ?? asText(entry?.['workspacePath']) ?? folderFromName(folderName),
  })
}
