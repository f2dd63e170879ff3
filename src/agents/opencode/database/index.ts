// All sessions in an SQLite database, since version 1.2.

import type { Store } from '../../store.ts'
import { databaseLocation } from '../places.ts'
import { PATTERN, resume } from '../sessions.ts'
import { DATABASE, discover } from './discover.ts'
import { read } from './read.ts'

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
  // It does not say which of its sessions is meant, so that a copy of it is none: it adopts nothing. Its versions start a server in the folder of the
  // session, and fail where that is gone: a resume does not run anywhere else.
  resume,
  repair: () => import('./repair.ts').then(module => module.repair),
}
