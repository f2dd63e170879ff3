// The document store of early versions: one JSON document for each session.

import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { documentArchive } from '../archive.ts'
import { discoverFiles } from '../discover.ts'
import { DOCUMENT } from '../names.ts'
import { recogniseFile, shared, TOKENS } from '../sessions.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const document: Store = {
  ...shared,
  name: DOCUMENT,
  title: 'JSON document',
  traits: {
    framing: 'json-document',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
    tokens: TOKENS,
  },
  discover: (location, options) => discoverFiles({ generation: DOCUMENT, reportsFolders: false }, location, options),
  read,
  recognise: (path, head) => recogniseFile(DOCUMENT, /"projectHash"/, path, head),
  archive: documentArchive,
  adoption: () => import('../adoption.ts').then(module => module.adoption),
  listing: () => import('../listing.ts').then(module => module.listing),
  repair: () => import('./repair.ts').then(module => module.repair),
}
