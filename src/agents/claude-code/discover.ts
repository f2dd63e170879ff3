// projects/<folder>/<session>.jsonl, and below each session the files of its sub-agents.
import { basename, join } from 'node:path'
import type { Found, Store } from '../agent.ts'
import type { Listing } from '../stores/discovering.ts'
import { foundFile, listInside, listStore } from '../stores/discovering.ts'

const AGENT = 'claude-code'
const SUFFIX = '.jsonl'

export async function* discover(store: Store): AsyncGenerator<Found, void, void> {
  const projects = listStore(AGENT, store)
  yield* projects.failures
  for (const project of projects.folders) yield* discoverProject(store, listInside(AGENT, store, project.path))
}

function* discoverProject(store: Store, project: Listing): Generator<Found, void, void> {
  yield* project.failures
  for (const file of project.files) {
    if (file.name.endsWith(SUFFIX)) yield foundFile(AGENT, store, file.path, { sessionId: basename(file.name, SUFFIX) })
  }
  for (const session of project.folders) yield* discoverSubagents(store, join(session.path, 'subagents'), session.name)
}

/** Workflows put the files of their agents one or two folders deeper. */
function* discoverSubagents(store: Store, folder: string, subagentOf: string, depth = 0): Generator<Found, void, void> {
  const listing = listInside(AGENT, store, folder)
  yield* listing.failures
  for (const file of listing.files) {
    if (!file.name.endsWith(SUFFIX)) continue
    yield foundFile(AGENT, store, file.path, { sessionId: basename(file.name, SUFFIX), subagentOf })
  }
  if (depth < 2)
    for (const deeper of listing.folders) yield* discoverSubagents(store, deeper.path, subagentOf, depth + 1)
}
