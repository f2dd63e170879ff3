// Lists a store's folders. An unreadable folder becomes a failure beside the sessions, never a gap.
import type { FolderEntry } from '../../disk/files/read.ts'
import { assertInside, identityOf, listFolder, statPath } from '../../disk/files/read.ts'
import { failureOf } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Found, Location } from '../store.ts'

/** One folder of a store, as far as it can be listed. */
export interface FolderListing {
  folders: FolderEntry[]
  files: FolderEntry[]
  failures: Found[]
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
