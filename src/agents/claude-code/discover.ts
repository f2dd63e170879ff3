// projects/<folder>/<session>.jsonl, and below each session the files of its subagents.
import { join } from 'node:path'
import type { Found, FoundFailure, Location, SessionFiles } from '../store.ts'
import type { FolderListing } from '../stores/list-folders.ts'
import { foundFiles, listInside, listNamesInside, listStore } from '../stores/list-folders.ts'

const AGENT = 'claude-code'
export const PROJECTS = 'projects'
export const COWORK = 'cowork'
const SUFFIX = '.jsonl'

type Files = Generator<SessionFiles | FoundFailure, void, void>

export async function* discover(location: Location): AsyncGenerator<Found, void, void> {
  yield* foundFiles(AGENT, location, listFiles(location))
}

export function* listFiles(location: Location): Files {
  yield* listProjects(location, listStore(AGENT, location), PROJECTS)
}

/** How many folders lie between the store and a session: the organisation, the workspace, the session. */
const MAX_COWORK_DEPTH = 4

/** The desktop program gives every session a configuration folder of its own, `<session>/.claude`. */
export async function* discoverCowork(location: Location): AsyncGenerator<Found, void, void> {
  yield* foundFiles(AGENT, location, listCoworkFiles(location))
}

export function* listCoworkFiles(location: Location): Files {
  yield* listConfigurations(location, listStore(AGENT, location), 0)
}

function* listConfigurations(location: Location, listing: FolderListing, depth: number): Files {
  yield* listing.failures
  for (const folder of listing.folders) {
    if (folder.name === '.claude')
      yield* listProjects(location, listInside(AGENT, location, join(folder.path, PROJECTS)), COWORK)
    else if (depth < MAX_COWORK_DEPTH)
      yield* listConfigurations(location, listInside(AGENT, location, folder.path), depth + 1)
  }
}

function* listProjects(location: Location, projects: FolderListing, generation: string): Files {
  yield* projects.failures
  for (const { path } of projects.folders) {
    const { names, folders, failures } = listNamesInside(AGENT, location, path, SUFFIX)
    yield* failures
    yield { type: 'files', folder: path, names, suffix: SUFFIX, generation }
    for (const session of folders) yield* listSubagents(location, join(path, session, 'subagents'), session, generation)
  }
}

/** Workflows store the files of their agents one or two folders deeper. */
function* listSubagents(location: Location, folder: string, subagentOf: string, generation: string, depth = 0): Files {
  const { names, folders, failures } = listNamesInside(AGENT, location, folder, SUFFIX)
  yield* failures
  if (names.length > 0) yield { type: 'files', folder, names, suffix: SUFFIX, generation, subagentOf }
  if (depth < 2)
    for (const deeper of folders)
      yield* listSubagents(location, join(folder, deeper), subagentOf, generation, depth + 1)
}
