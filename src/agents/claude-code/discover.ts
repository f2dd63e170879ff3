// projects/<folder>/<session>.jsonl, and below each session the files of its sub-agents.
import { basename, join } from 'node:path'
import type { Found, Location } from '../store.ts'
import type { FolderListing } from '../stores/list-folders.ts'
import { foundFile, listInside, listStore } from '../stores/list-folders.ts'

const AGENT = 'claude-code'
export const PROJECTS = 'projects'
const SUFFIX = '.jsonl'

export async function* discover(location: Location): AsyncGenerator<Found, void, void> {
  const projects = listStore(AGENT, location)
  yield* projects.failures
  for (const project of projects.folders) yield* discoverProject(location, listInside(AGENT, location, project.path))
}

function* discoverProject(location: Location, project: FolderListing): Generator<Found, void, void> {
  yield* project.failures
  for (const file of project.files) {
    if (file.name.endsWith(SUFFIX))
      yield foundFile(AGENT, location, file.path, { sessionId: basename(file.name, SUFFIX), generation: PROJECTS })
  }
  for (const session of project.folders)
    yield* discoverSubagents(location, join(session.path, 'subagents'), session.name)
}

/** Workflows store the files of their agents one or two folders deeper. */
function* discoverSubagents(
  location: Location,
  folder: string,
  subagentOf: string,
  depth = 0,
): Generator<Found, void, void> {
  const listing = listInside(AGENT, location, folder)
  yield* listing.failures
  for (const file of listing.files) {
    if (!file.name.endsWith(SUFFIX)) continue
    yield foundFile(AGENT, location, file.path, {
      sessionId: basename(file.name, SUFFIX),
      generation: PROJECTS,
      subagentOf,
    })
  }
  if (depth < 2)
    for (const deeper of listing.folders) yield* discoverSubagents(location, deeper.path, subagentOf, depth + 1)
}
