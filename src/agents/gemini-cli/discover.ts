// tmp/<project>/chats/session-*: one file for each session. A folder named by the session's id holds its
// subagents.
import { join } from 'node:path'
import type { FolderEntry } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import { failureOf } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { DiscoverOptions, Found, Location } from '../store.ts'
import { foundFile, listInside, listStore } from '../stores/list-folders.ts'
import { present } from '../stores/values.ts'
import { DOCUMENT, type FileName, namesSession, parseName, sessionIdOf } from './names.ts'
import { findProject, loadProjects } from './projects.ts'

const AGENT = 'gemini-cli'
/** Contains the header, or a few records if the header is lost. */
const HEAD_BYTES = 8 * 1024
/** A header with many folders is longer. */
const LONG_HEAD_BYTES = 1024 * 1024

/** Which files of the shared folders are wanted: the name shows the store. */
export interface Wanted {
  generation: string
  /** Both stores list the same folders. Only one of them reports failures of these. */
  reportsFolders: boolean
}

export async function* discoverFiles(
  wanted: Wanted,
  location: Location,
  options: DiscoverOptions,
): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, location)
  if (listing.folders.length === 0 && listing.failures.length === 0) return
  const failures: unknown[] = []
  const projects = loadProjects(location, options.environment, failures)
  for (const folder of listing.folders) {
    const project = findProject(projects, folder, location, failures)
    yield* discoverChats(wanted, location, join(folder.path, 'chats'), project)
  }
  if (!wanted.reportsFolders) return
  yield* listing.failures
  for (const error of failures) yield { type: 'failure', failure: failureOf(AGENT, error) }
}

function* discoverChats(
  wanted: Wanted,
  location: Location,
  folder: string,
  project: string | undefined,
): Generator<Found, void, void> {
  const chats = listInside(AGENT, location, folder)
  if (wanted.reportsFolders) yield* chats.failures
  const names = new Set(chats.files.map(file => file.name))
  const find = (file: FolderEntry, known: Known) => found(wanted.generation, location, file, names, known)
  for (const file of chats.files) if (file.name.startsWith('session-')) yield* find(file, { project })
  for (const parent of chats.folders) {
    const subagents = listInside(AGENT, location, parent.path)
    if (wanted.reportsFolders) yield* subagents.failures
    for (const file of subagents.files) yield* find(file, { project, subagentOf: parent.name })
  }
}

type Known = { [K in 'project' | 'subagentOf']?: string | undefined }

function* found(
  generation: string,
  location: Location,
  file: FolderEntry,
  names: Set<string>,
  known: Known,
): Generator<Found, void, void> {
  const name = parseName(file.name)
  if (name === undefined || name.generation !== generation) return
  try {
    const isCarriedOver = generation === DOCUMENT && names.has(`${name.base}.jsonl`)
    const sessionId = sessionIdOf(name, readHead(file.path, location.root, name), isCarriedOver)
    yield foundFile(AGENT, location, file.path, {
      sessionId,
      generation,
      ...present<Pick<SessionRef, 'project' | 'subagentOf'>>({ project: known.project, subagentOf: known.subagentOf }),
    })
  } catch (error) {
    yield { type: 'failure', failure: failureOf(AGENT, error, file.path) }
  }
}

function readHead(path: string, storeRoot: string, name: FileName): Buffer {
  const file = openFile(path, storeRoot)
  try {
    const { size } = file.identity
    const head = file.range(0, Math.min(HEAD_BYTES, size))
    if (size <= HEAD_BYTES || namesSession(name, head)) return head
    return file.range(0, Math.min(LONG_HEAD_BYTES, size))
  } finally {
    file.close()
  }
}
