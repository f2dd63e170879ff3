// projects/<folder>/<session>.jsonl, and below each session the files of its subagents.
import { basename, join } from 'node:path'
import type { Found, Location } from '../store.ts'
import type { FolderListing } from '../stores/list-folders.ts'
import { foundFile, listInside, listStore } from '../stores/list-folders.ts'

const AGENT = 'claude-code'
export const PROJECTS = 'projects'
export const COWORK = 'cowork'
const SUFFIX = '.jsonl'

export async function* discover(location: Location): AsyncGenerator<Found, void, void> {
  yield* discoverProjects(location, listStore(AGENT, location), PROJECTS)
}

/** How many folders lie between the store and a session: the organisation, the workspace, the session. */
const MAX_COWORK_DEPTH = 4

/** The desktop program gives every session a configuration folder of its own, `<session>/.claude`. */
export async function* discoverCowork(location: Location): AsyncGenerator<Found, void, void> {
  yield* discoverConfigurations(location, listStore(AGENT, location), 0)
}

function* discoverConfigurations(
  location: Location,
  listing: FolderListing,
  depth: number,
): Generator<Found, void, void> {
  yield* listing.failures
  for (const folder of listing.folders) {
    if (folder.name === '.claude')
      yield* discoverProjects(location, listInside(AGENT, location, join(folder.path, PROJECTS)), COWORK)
    else if (depth < MAX_COWORK_DEPTH)
      yield* discoverConfigurations(location, listInside(AGENT, location, folder.path), depth + 1)
  }
}

function* discoverProjects(
  location: Location,
  projects: FolderListing,
  generation: string,
): Generator<Found, void, void> {
  yield* projects.failures
  for (const { path } of projects.folders) {
    const project = listInside(AGENT, location, path)
    yield* project.failures
    for (const file of project.files)
      if (file.name.endsWith(SUFFIX))
        yield foundFile(AGENT, location, file.path, { sessionId: basename(file.name, SUFFIX), generation })
    for (const session of project.folders)
      yield* discoverSubagents(location, join(session.path, 'subagents'), session.name, generation)
  }
}

/** Workflows store the files of their agents one or two folders deeper. */
function* discoverSubagents(
  location: Location,
  folder: string,
  subagentOf: string,
  generation: string,
  depth = 0,
): Generator<Found, void, void> {
  const listing = listInside(AGENT, location, folder)
  yield* listing.failures
  for (const file of listing.files) {
    if (!file.name.endsWith(SUFFIX)) continue
    yield foundFile(AGENT, location, file.path, {
      sessionId: basename(file.name, SUFFIX),
      generation,
      subagentOf,
    })
  }
  if (depth < 2)
    for (const deeper of listing.folders)
      yield* discoverSubagents(location, deeper.path, subagentOf, generation, depth + 1)
}
