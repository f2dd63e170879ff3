// Lists the sessions of a database, even with damaged pages: a session that is not listed cannot be repaired.

import { readRebuilt } from '../../disk/sqlite/check-pages.ts'
import type { Database } from '../../disk/sqlite/read-database.ts'
import { databaseMark, readDatabase } from '../../disk/sqlite/read-database.ts'
import { failureOf, hasErrorCode } from '../../model/errors.ts'
import type { DiscoverOptions, Found } from '../store.ts'
import { type KnownTables, unknownTables } from './known-tables.ts'

/** A collection that can be empty. */
type Many = { readonly size: number } | { readonly length: number }

export interface DatabaseListing<T> {
  value: T
  /** Tables that are not known, and the damage if the list shows what a rebuild would save. */
  failures: Found[]
}

export interface Listable<T> {
  agent: string
  path: string
  storeRoot: string
  list: (database: Database) => T
  /** Tables beyond these are a failure beside the sessions. */
  tables: KnownTables
  /** See `RebuildDatabase.fills`. */
  fills?: readonly string[]
}

/** Throws what makes a database unreadable, and `database-corrupt` if no listed row can be saved. */
export async function listDatabase<T extends Many>(
  listable: Listable<T>,
  options: DiscoverOptions,
): Promise<DatabaseListing<T>> {
  const { agent, path, storeRoot, list, tables } = listable
  const use = (database: Database): DatabaseListing<T> => ({
    value: list(database),
    failures: unknownTables(database, tables).map(error => ({
      type: 'failure',
      failure: failureOf(agent, error, path),
    })),
  })
  try {
    return await readDatabase(path, storeRoot, use, options)
  } catch (error) {
    if (!hasErrorCode(error, 'database-corrupt')) throw error
    const failure = failureOf(agent, error, path)
    return { value: listRebuilt(listable, error), failures: [{ type: 'failure', failure }] }
  }
}

/** A page that watches its stores lists them repeatedly, and the damage does not change meanwhile. */
const lastRebuilt = new Map<string, { identity: string; value: unknown }>()

function listRebuilt<T extends Many>({ agent, path, list, fills = [] }: Listable<T>, damage: unknown): T {
  const identity = databaseMark(path)
  const known = lastRebuilt.get(`${agent} ${path}`)
  if (known?.identity === identity) return known.value as T
  try {
    const value = readRebuilt(path, fills, list)
    if (isEmpty(value)) throw damage
    lastRebuilt.set(`${agent} ${path}`, { identity, value })
    return value
  } catch (error) {
    // The first error describes the damage better.
    throw hasErrorCode(error, 'database-corrupt') ? damage : error
  }
}

function isEmpty(value: Many): boolean {
  return ('size' in value ? value.size : value.length) === 0
}
