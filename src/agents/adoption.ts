// How a session of another home, such as a backup or the disk of another machine, becomes one of this home:
// where its files go, and which paths in them change. Types and small helpers only.
import type { CanonicalRow } from '../disk/sqlite/session-rows.ts'
import type { SessionRef } from '../model/session.ts'
import type { Environment } from './environment.ts'
import { type ListingChange, movedPath } from './listing.ts'
import type { Location } from './store.ts'

/** Loaded with the first adoption. A store without it takes no sessions of other homes. */
export interface StoreAdoption {
  /** Reads both homes and changes nothing. Throws `unsupported` for a session that this home cannot take. */
  plan(request: AdoptionRequest): Promise<AdoptionPlaces>
}

export interface AdoptionRequest {
  /** In its own home. Subagents come along and are not asked for. */
  session: SessionRef
  /** This home, and where the store is in it. */
  environment: Environment
  location: Location
  /** The path in this home for a path in the other one. */
  map: (path: string) => string
}

export interface AdoptionPlaces {
  /** The folder in which the agent will list it. Undefined if it is not known. */
  project: { from: string; to: string } | undefined
  /** Where a file goes, or for rows their database. Undefined for a file that stays behind. */
  pathOf(path: string): string | undefined
  /** The fields of a document, or of each line of a log, that get another value. */
  fieldsOf(path: string): readonly MappedField[]
  /** The row for this home. Undefined for a row that stays behind. */
  rowOf?(row: CanonicalRow): CanonicalRow | undefined
  /** What makes the agent list it: entries of an index or a registry. */
  changes: ListingChange[]
  notes: string[]
}

export interface MappedField {
  /** The names from the outside in. */
  path: readonly string[]
  to: (value: string) => string
}

export interface PathMap {
  from: string
  to: string
}

/** The first map that fits decides. A path that none fits stays as it is. */
export function mapPath(path: string, maps: readonly PathMap[]): string {
  for (const map of maps) {
    const mapped = movedPath(path, map)
    if (mapped !== undefined) return mapped
  }
  return path
}

/** Below each folder of a system that holds the homes of persons. */
const HOME_SHAPED = /^(?:\/(?:Users|home)\/[^/]+|\/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/]|$)/

/** The home that most of these folders are below. Undefined if none is below a home. */
export function homeOf(folders: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const folder of folders) {
    const [home] = HOME_SHAPED.exec(folder) ?? []
    if (home !== undefined) counts.set(home, (counts.get(home) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}
