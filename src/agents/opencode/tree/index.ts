// The tree store: small JSON files, before version 1.2.
import { basename } from 'node:path'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { treeArchive } from '../archive.ts'
import { PATTERN, resume, treeLocation } from '../places.ts'
import { discover, TREE } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const tree: Store = {
  name: TREE,
  title: 'tree of JSON files',
  sessionId: PATTERN,
  traits: {
    framing: 'json-tree',
    linkedByParent: false,
    headerRecord: true,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  locations: environment => [treeLocation(environment)],
  discover,
  read,
  parts: () => import('./parts.ts').then(module => module.parts),
  recognise(path, head) {
    // A copy of the whole tree can be read through the file of a session.
    if (!/[/\\]session[/\\][^/\\]+[/\\]ses_\w+\.json$/.test(path)) return undefined
    if (!/"(?:projectID|directory)"\s*:/.test(head.toString('latin1'))) return undefined
    return basename(path, '.json')
  },
  resumesAnywhere: () => true,
  resume,
  archive: treeArchive,
  adoption: () => import('../adoption.ts').then(module => module.treeAdoption),
  listing: () => import('./listing.ts').then(module => module.listing),
  repair: () => import('./repair.ts').then(module => module.repair),
}
