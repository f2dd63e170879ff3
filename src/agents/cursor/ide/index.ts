// The conversations of the editor, in its one database. No `recognise`: a copy holds many conversations and
// identifies none.
import { dirname } from 'node:path'
import { PLAIN_NAME } from '../../../model/session-id.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { ideArchive } from '../archive.ts'
import { globalState } from '../places.ts'
import { composerKey } from './composers.ts'
import { discover, IDE } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const ide: Store = {
  name: IDE,
  title: "the editor's database",
  sessionId: PLAIN_NAME,
  traits: {
    framing: 'sqlite',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: true,
    appendOnly: false,
  },
  locations(environment) {
    const path = globalState(environment)
    return [{ path, root: dirname(path) }]
  },
  discover,
  read,
  withholds: ({ row }) => (String(row).startsWith(composerKey('')) ? 'this row also holds encryption keys' : undefined),
  resume: () => ({
    type: 'unsupported',
    reason: 'Cursor opens conversations of the editor only in the editor itself.',
  }),
  archive: ideArchive,
  listing: () => import('./listing.ts').then(module => module.listing),
  repair: () => import('../../stores/read-only-database.ts').then(module => module.readOnlyRepair(read)),
}
