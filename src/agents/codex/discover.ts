// sessions/YYYY/MM/DD/rollout-*.jsonl and archived_sessions/, flat or dated; cold files may be compressed.
import { basename, dirname, join } from 'node:path'
import type { Found, Store } from '../agent.ts'
import type { Listing } from '../stores/discovering.ts'
import { foundFile, listInside, listStore } from '../stores/discovering.ts'
import { readNames } from './names.ts'
import { isCompressed, plainName, threadOf } from './rollout-name.ts'

const AGENT = 'codex'
const YEAR_MONTH_DAY = 3

export async function* discover(store: Store): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, store)
  const home = dirname(store.path)
  const { names, failure } = readNames(AGENT, join(home, 'session_index.jsonl'), home)
  // Both stores share the index; its failure is told once.
  if (failure !== undefined && basename(store.path) === 'sessions') yield { type: 'failure', failure }
  yield* discoverFolder(store, listing, names, 0)
}

function* discoverFolder(
  store: Store,
  listing: Listing,
  names: Map<string, string>,
  depth: number,
): Generator<Found, void, void> {
  yield* listing.failures
  const present = new Set(listing.files.map(file => file.name))
  for (const file of listing.files) {
    const thread = threadOf(file.name)
    // The plain file wins over its compressed copy, as it does for the agent.
    if (thread === undefined || (isCompressed(file.name) && present.has(plainName(file.name)))) continue
    yield foundRollout(store, file.path, thread, names.get(thread))
  }
  if (depth < YEAR_MONTH_DAY)
    for (const folder of listing.folders)
      yield* discoverFolder(store, listInside(AGENT, store, folder.path), names, depth + 1)
}

function foundRollout(store: Store, path: string, sessionId: string, name: string | undefined): Found {
  const generation = isCompressed(path) ? 'compressed' : store.generation
  const found = foundFile(AGENT, store, path, { sessionId, generation })
  if (found.type === 'failure' || name === undefined) return found
  // A new name changes nothing in the file, but it changes what a summary of the session says.
  const identity = `${found.session.identity}:${name}`
  return { type: 'session', session: { ...found.session, title: name, identity } }
}
