// sessions/YYYY/MM/DD/rollout-*.jsonl and archived_sessions/, flat or dated. Cold files may be compressed.
import { basename, dirname, join } from 'node:path'
import { quote } from '../../disk/files/system-errors.ts'
import { failureOf, RethreadError } from '../../model/errors.ts'
import type { Found, Location } from '../store.ts'
import type { FolderListing } from '../stores/list-folders.ts'
import { foundFile, listInside, listStore } from '../stores/list-folders.ts'
import { readNames } from './names.ts'
import { isCompressed, plainName, threadOf } from './rollout-name.ts'

const AGENT = 'codex'
export const ROLLOUTS = 'rollouts'
export const COMPRESSED = 'compressed'
const YEAR_MONTH_DAY = 3

export async function* discover(location: Location): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, location)
  const home = dirname(location.path)
  const { names, failure } = readNames(AGENT, join(home, 'session_index.jsonl'), home)
  // Both stores share the index. Its failure is reported once.
  if (failure !== undefined && basename(location.path) === 'sessions') yield { type: 'failure', failure }
  yield* discoverFolder(location, listing, names, 0)
}

function* discoverFolder(
  location: Location,
  listing: FolderListing,
  names: Map<string, string>,
  depth: number,
): Generator<Found, void, void> {
  yield* listing.failures
  const present = new Set(listing.files.map(file => file.name))
  for (const file of listing.files) {
    if (isOldDocument(file.name)) yield { type: 'failure', failure: failureOf(AGENT, oldDocument(file.path)) }
    const thread = threadOf(file.name)
    // The plain file takes precedence over its compressed copy, as in the agent.
    if (thread === undefined || (isCompressed(file.name) && present.has(plainName(file.name)))) continue
    yield foundRollout(location, file.path, thread, names.get(thread))
  }
  if (depth < YEAR_MONTH_DAY)
    for (const folder of listing.folders)
      yield* discoverFolder(location, listInside(AGENT, location, folder.path), names, depth + 1)
}

/** The first versions of 2025 wrote one document for each session. */
function isOldDocument(name: string): boolean {
  return name.startsWith('rollout-') && name.endsWith('.json')
}

function oldDocument(path: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} is a session of an early version of Codex, which rethread cannot read.`,
    hint: `See what it holds: less ${quote(path)}`,
    path,
  })
}

function foundRollout(location: Location, path: string, sessionId: string, name: string | undefined): Found {
  const generation = isCompressed(path) ? COMPRESSED : ROLLOUTS
  const found = foundFile(AGENT, location, path, { sessionId, generation })
  if (found.type === 'failure' || name === undefined) return found
  // A new name changes nothing in the file, but it changes the summary of the session.
  const identity = `${found.session.identity}:${name}`
  return { type: 'session', session: { ...found.session, title: name, identity } }
}
