// tmp/<project>/chats/session-*: one file a session, and below the id of a session the files of its sub-agents.
import { join } from 'node:path'
import type { FolderEntry } from '../../disk/files/read.ts'
import { openFile } from '../../disk/files/read.ts'
import { failureOf } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { DiscoverOptions, Found, Store } from '../agent.ts'
import { foundFile, listInside, listStore } from '../stores/discovering.ts'
import { present } from '../stores/values.ts'
import { DOCUMENT, JSON_LINES, parseName, sessionIdOf } from './names.ts'
import { findProject, loadProjects } from './projects.ts'

const AGENT = 'gemini-cli'
/** Holds the header, and some records more where that is lost. */
const HEAD_BYTES = 8 * 1024

export async function* discover(store: Store, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, store)
  if (listing.folders.length === 0 && listing.failures.length === 0) return
  const failures: unknown[] = []
  const projects = loadProjects(store, options.environment, failures)
  for (const folder of listing.folders) {
    const project = findProject(projects, folder, store, failures)
    yield* discoverChats(store, join(folder.path, 'chats'), project)
  }
  // Both generations share the folders; what is wrong with these is told once.
  if (store.generation !== JSON_LINES) return
  yield* listing.failures
  for (const error of failures) yield { type: 'failure', failure: failureOf(AGENT, error) }
}

function* discoverChats(store: Store, folder: string, project: string | undefined): Generator<Found, void, void> {
  const chats = listInside(AGENT, store, folder)
  if (store.generation === JSON_LINES) yield* chats.failures
  const names = new Set(chats.files.map(file => file.name))
  for (const file of chats.files) if (file.name.startsWith('session-')) yield* found(store, file, names, { project })
  for (const parent of chats.folders) {
    const subagents = listInside(AGENT, store, parent.path)
    if (store.generation === JSON_LINES) yield* subagents.failures
    for (const file of subagents.files) yield* found(store, file, names, { project, subagentOf: parent.name })
  }
}

type Known = { [K in 'project' | 'subagentOf']?: string | undefined }

function* found(store: Store, file: FolderEntry, names: Set<string>, known: Known): Generator<Found, void, void> {
  const name = parseName(file.name)
  if (name === undefined || name.generation !== store.generation) return
  try {
    const isCarriedOver = name.generation === DOCUMENT && names.has(`${name.base}.jsonl`)
    const sessionId = sessionIdOf(name, readHead(file.path, store.root), isCarriedOver)
    yield foundFile(AGENT, store, file.path, {
      sessionId,
      ...present<Pick<SessionRef, 'project' | 'subagentOf'>>({ project: known.project, subagentOf: known.subagentOf }),
    })
  } catch (error) {
    yield { type: 'failure', failure: failureOf(AGENT, error, file.path) }
  }
}

function readHead(path: string, storeRoot: string): Buffer {
  const file = openFile(path, storeRoot)
  try {
    return file.range(0, Math.min(HEAD_BYTES, file.identity.size))
  } finally {
    file.close()
  }
}
