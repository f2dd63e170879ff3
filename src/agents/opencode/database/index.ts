// The database store: all sessions in an SQLite database, since version 1.2.

import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { databaseArchive } from '../archive.ts'
import { databaseLocation, PATTERN, resume } from '../places.ts'
import { DATABASE, discover } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const database: Store = {
  name: DATABASE,
  title: 'SQLite database',
  sessionId: PATTERN,
  traits: {
    framing: 'sqlite',
    linkedByParent: false,
    headerRecord: true,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  locations(environment) {
    const location = databaseLocation(environment)
    return location === undefined ? [] : [location]
  },
  discover,
  read,
  parts: () => import('./parts.ts').then(module => module.parts),
  // No `recognise`: a copy of the database does not say which of its sessions is meant. OpenCode starts a server
  // in the session's folder and fails if the folder is gone, so a resume works only there.
  resume,
  archive: databaseArchive,
  adoption: () => import('../adoption.ts').then(module => module.databaseAdoption),
  listing: () => import('./listing.ts').then(module => module.listing),
  repair: () => import('./repair.ts').then(module => module.repair),
}
