// Removes old copies of repairs, but not those of a session that no longer exists: they may be all that is left of it.
import { sep } from 'node:path'
import { type Found, type LocatedStore, locationsOf } from '../agents/store.ts'
import { exists } from '../disk/files/read.ts'
import { isAboutSession, type Receipt } from '../disk/vault/receipt.ts'
import { type Cleaned, type CleanOptions, cleanVault } from '../disk/vault/receipts.ts'
import { RethreadError } from '../model/errors.ts'
import type { CheckContext } from './check/check.ts'

export async function cleanCopies(
  context: CheckContext,
  options: Omit<CleanOptions, 'sessionExists'> = {},
): Promise<Cleaned> {
  /** By the path of a location. */
  const known = new Map<string, ReadonlySet<string>>()
  const sessionExists = async (receipt: Receipt): Promise<boolean> => {
    if (!exists(receipt.filePath)) return false
    if (!isAboutSession(receipt)) return true
    const databases = databasesWith(context, receipt)
    for (const { store, location, environment } of databases) {
      const ids = known.get(location.path) ?? (await idsIn(store.discover(location, { environment })))
      known.set(location.path, ids)
      if (ids.has(receipt.sessionId)) return true
    }
    // Where a file holds one session, the file decides.
    return databases.length === 0
  }
  return await cleanVault(context.state, { ...options, sessionExists })
}

/** The stores of databases in which the session is, or was. Several sessions may share each of them. */
function databasesWith({ agents, environment }: CheckContext, { agent, filePath }: Receipt): LocatedStore[] {
  const own = agents.find(({ id }) => id === agent)
  if (own === undefined) return []
  return locationsOf(own, environment).filter(
    ({ store, location: { path } }) =>
      store.traits.framing === 'sqlite' && (filePath === path || filePath.startsWith(`${path}${sep}`)),
  )
}

/** What could not be examined is missing here, so its copies are kept. */
async function idsIn(found: AsyncIterable<Found>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  try {
    for await (const item of found) if (item.type === 'session') ids.add(item.session.sessionId)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
  }
  return ids
}
