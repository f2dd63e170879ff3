// The chats of the command line agent, with one database each.
import { basename, dirname } from 'node:path'
import { idValue, words } from '../../../model/program.ts'
import { UUID } from '../../../model/session-id.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { cliArchive } from '../archive.ts'
import { chatsFolder } from '../places.ts'
import { CLI, discover } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const cli: Store = {
  name: CLI,
  title: 'one database of hashed blobs for each chat',
  sessionId: UUID,
  traits: {
    framing: 'sqlite',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  locations(environment) {
    const path = chatsFolder(environment)
    return [{ path, root: path }]
  },
  discover,
  read,
  parts: () => import('./parts.ts').then(module => module.parts),
  recognise(path, head) {
    const text = head.toString('latin1')
    const isChat =
      text.startsWith('SQLite format 3\0') &&
      /create table[^(]*\bblobs\b/i.test(text) &&
      /create table[^(]*\bmeta\b/i.test(text)
    if (!isChat) return undefined
    return basename(path) === 'store.db' ? basename(dirname(path)) : basename(path, '.db')
  },
  withholds: ({ table }) => (table === 'meta' ? 'this row also holds encryption keys' : undefined),
  resume: (session, facts) => ({
    type: 'command',
    command: 'cursor-agent',
    words: words('--resume', idValue(session.sessionId)),
    folder: facts.project ?? session.project,
  }),
  archive: cliArchive,
  listing: () => import('./listing.ts').then(module => module.listing),
  repair: () => import('../../stores/read-only-database.ts').then(module => module.readOnlyRepair(read)),
}
