// Conversations of earlier versions of the editor, in the databases of its windows: tabs of the chat panel,
// and composers that hold their messages. No `recognise`: a copy holds many conversations and identifies none.
import { dirname } from 'node:path'
import { PLAIN_NAME } from '../../../model/session-id.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { chatsArchive } from '../archive.ts'
import { globalState, workspaceStorage } from '../places.ts'
import { CHATS, discover } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const chats: Store = {
  name: CHATS,
  title: "the databases of the editor's windows",
  sessionId: PLAIN_NAME,
  traits: {
    framing: 'sqlite',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  locations(environment) {
    const windows = workspaceStorage(environment)
    const shared = globalState(environment)
    return [
      { path: windows, root: windows },
      { path: shared, root: dirname(shared) },
    ]
  },
  discover,
  read,
  archive: chatsArchive,
  resume: () => ({
    type: 'unsupported',
    reason: 'Cursor opens conversations of the editor only in the editor itself.',
  }),
  listing: () => import('../ide/listing.ts').then(module => module.listing),
  repair: () => import('../../stores/read-only-database.ts').then(module => module.readOnlyRepair(read)),
}
