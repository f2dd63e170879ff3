// The files of execution logs: which there are, which session
// each belongs to, and a sign that one has changed.
import { createHash } from 'node:crypto'
import { exists, identityOf, openFile, statPath } from '../../../disk/files/read.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { Found, Location } from '../../store.ts'
import { foundFile, listInside } from '../../stores/list-folders.ts'
import { present } from '../../stores/values.ts'

export const EXECUTION = 'execution'

const AGENT = 'kiro'
const HEAD_BYTES = 4096

/** The id near the start of a log. Undefined for an index or a setting of the editor. */
export function executionIn(path: string, storage: string): string | undefined {
  const file = openFile(path, storage)
  try {
    const head = file.range(0, Math.min(HEAD_BYTES, file.identity.size)).toString('utf8')
    return /"executionId"\s*:\s*"([^"\\]{1,200})"/.exec(head)?.[1]
  } finally {
    file.close()
  }
}

/** Changes with every log of a folder, also with one that is rewritten in place. Undefined without logs. */
export function folderMark(location: Location, folder: string): string | undefined {
  const { files } = listInside(AGENT, location, folder)
  if (files.length === 0) return undefined
  const hash = createHash('sha256')
  for (const { path } of files) hash.update(`${path}\n${markOf(path)}\n`)
  return hash.digest('hex')
}

function markOf(path: string): string {
  try {
    return identityOf(statPath(path)).mark
  } catch (error) {
    // It was removed a moment ago, or cannot be examined: reading reports that.
    if (error instanceof RethreadError) return error.code
    throw error
  }
}

/**
 * The logs in a folder that neither a document nor another log names.
 * What names them is read only if there are logs.
 */
export function* unnamedLogs(
  location: Location,
  folder: string,
  project: string | undefined,
  documents: readonly string[],
): Generator<Found, void, void> {
  const listing = listInside(AGENT, location, folder)
  yield* listing.failures
  const named = new Set(listing.files.length === 0 ? [] : documents.flatMap(path => namedIn(path, location)))
  const logs = listing.files.flatMap(({ path }) => {
    const id = namedIn(path, location)[0]
    return id === undefined || named.has(id) ? [] : { id, path }
  })
  const inner = new Set(logs.length === 0 ? [] : listing.files.flatMap(({ path }) => namedIn(path, location).slice(1)))
  const known = present<Pick<SessionRef, 'project'>>({ project })
  for (const { id, path } of logs)
    if (!inner.has(id)) yield foundFile(AGENT, location, path, { sessionId: id, generation: EXECUTION, ...known })
}

/**
 * The logs by their ids, for each folder. A log that is rewritten keeps
 * its id, and one that comes changes the folder.
 */
const logsByFolder = new Map<string, { mark: string; paths: ReadonlyMap<string, string> }>()

/** The logs in a folder that a document names, and those that these name. */
export function logsNamedBy(document: string, location: Location, folder: string): string[] {
  const paths = logsIn(location, folder)
  const found = new Set<string>()
  const names = paths.size === 0 ? [] : [...namedIn(document, location)]
  for (let id = names.pop(); id !== undefined; id = names.pop()) {
    const path = paths.get(id)
    if (path === undefined || found.has(path)) continue
    found.add(path)
    names.push(...namedIn(path, location))
  }
  return [...found].sort()
}

function logsIn(location: Location, folder: string): ReadonlyMap<string, string> {
  const mark = exists(folder) ? markOf(folder) : ''
  const known = logsByFolder.get(folder)
  if (known?.mark === mark) return known.paths
  const files = mark === '' ? [] : listInside(AGENT, location, folder).files
  const paths = new Map(
    files.flatMap(({ path }) => {
      const id = namedIn(path, location)[0]
      return id === undefined ? [] : [[id, path] as const]
    }),
  )
  logsByFolder.set(folder, { mark, paths })
  return paths
}

/** A document that cannot be read names nothing: it is reported where it is read. */
function namedIn(path: string, location: Location): readonly string[] {
  try {
    return executionsNamedIn(path, location.root)
  } catch (error) {
    if (error instanceof RethreadError) return []
    throw error
  }
}

/** Ids by file: a session that did not change is not read again. */
const namedIds = new Map<string, { mark: string; ids: readonly string[] }>()

/** The executions that a document names, in the order of the file. That of a log itself comes first. */
function executionsNamedIn(path: string, storage: string): readonly string[] {
  const file = openFile(path, storage)
  try {
    const { mark, size } = file.identity
    const known = namedIds.get(path)
    if (known?.mark === mark) return known.ids
    const ids = new Set<string>()
    for (let at = 0; at < size; at += CHUNK_BYTES) {
      // Chunks overlap, so that no id is cut.
      const text = file.range(at, Math.min(size, at + CHUNK_BYTES + OVERLAP_BYTES)).toString('latin1')
      for (const [, id = ''] of text.matchAll(/"execution(?:Id|_id)"\s*:\s*"([^"\\]{1,200})"/g)) ids.add(id)
    }
    namedIds.set(path, { mark, ids: [...ids] })
    return [...ids]
  } finally {
    file.close()
  }
}

const CHUNK_BYTES = 1024 * 1024
const OVERLAP_BYTES = 1024
