// Lists a store's folders. An unreadable folder becomes a failure beside the sessions, never a gap.
import { sep } from 'node:path'
import type { FolderEntry } from '../../disk/files/read.ts'
import { assertInside, identityOf, listFolder, listNames, statPath } from '../../disk/files/read.ts'
import { failureOf } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Found, FoundFailure, Location, SessionFiles } from '../store.ts'

/** One folder of a store, as far as it can be listed. */
export interface FolderListing {
  folders: FolderEntry[]
  files: FolderEntry[]
  failures: FoundFailure[]
}

/** Lists the store itself. Throws if it cannot be listed. A missing store is empty. */
export function listStore(agent: string, location: Location): FolderListing {
  return sortEntries(agent, location, listFolder(location.path))
}

/** Lists a folder inside a store. */
export function listInside(agent: string, location: Location, folder: string): FolderListing {
  try {
    return sortEntries(agent, location, listFolder(folder))
  } catch (error) {
    return { folders: [], files: [], failures: [{ type: 'failure', failure: failureOf(agent, error, folder) }] }
  }
}

/** The same in names alone: those of the folders, and those of the files with this end. */
export interface NameListing {
  names: string[]
  folders: string[]
  failures: FoundFailure[]
}

/** Ten thousand names in one folder are usual, and an object for each takes time. */
export function listNamesInside(agent: string, location: Location, folder: string, suffix: string): NameListing {
  const listing: NameListing = { names: [], folders: [], failures: [] }
  try {
    const { files, folders, links } = listNames(folder)
    for (const name of links) {
      const path = pathOf(folder, name)
      try {
        ;(isFolder({ name, path, isFolder: false, isLink: true }, location) ? folders : files).push(name)
      } catch (error) {
        listing.failures.push({ type: 'failure', failure: failureOf(agent, error, path) })
      }
    }
    listing.folders = inOrder(folders)
    listing.names = inOrder(files.filter(name => name.endsWith(suffix)))
  } catch (error) {
    listing.failures.push({ type: 'failure', failure: failureOf(agent, error, folder) })
  }
  return listing
}

/** They usually are. */
function inOrder(names: string[]): string[] {
  const isSorted = names.every((name, place) => place === 0 || (names[place - 1] ?? '') < name)
  return isSorted ? names : names.sort()
}

export function pathOf(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name
}

function sortEntries(agent: string, location: Location, entries: FolderEntry[]): FolderListing {
  const listing: FolderListing = { folders: [], files: [], failures: [] }
  for (const entry of entries) {
    try {
      ;(isFolder(entry, location) ? listing.folders : listing.files).push(entry)
    } catch (error) {
      listing.failures.push({ type: 'failure', failure: failureOf(agent, error, entry.path) })
    }
  }
  return listing
}

/** Links are followed only inside the store. */
function isFolder(entry: FolderEntry, location: Location): boolean {
  if (!entry.isLink) return entry.isFolder
  assertInside(entry.path, location.root)
  return statPath(entry.path).isDirectory()
}

/** The sessions of a store that lists its files. */
export function* foundFiles(
  agent: string,
  location: Location,
  listed: Iterable<SessionFiles | FoundFailure>,
): Generator<Found, void, void> {
  for (const item of listed) {
    if (item.type === 'failure') yield item
    else for (const name of item.names) yield foundIn(agent, location, item, name)
  }
}

export function foundIn(agent: string, location: Location, files: SessionFiles, name: string): Found {
  const { folder, suffix, generation, subagentOf } = files
  const sessionId = name.slice(0, -suffix.length)
  return foundFile(agent, location, pathOf(folder, name), {
    sessionId,
    generation,
    ...(subagentOf === undefined ? {} : { subagentOf }),
  })
}

/** A session in its own file. */
export function foundFile(
  agent: string,
  location: Location,
  path: string,
  session: Pick<SessionRef, 'sessionId' | 'generation'> & Partial<SessionRef>,
): Found {
  try {
    const identity = identityOf(statPath(path))
    return {
      type: 'session',
      session: {
        agent,
        filePath: path,
        storeRoot: location.root,
        updatedAt: identity.mtimeMs,
        fileSize: identity.size,
        identity: identity.mark,
        ...session,
      },
    }
  } catch (error) {
    return { type: 'failure', failure: failureOf(agent, error, path) }
  }
}
