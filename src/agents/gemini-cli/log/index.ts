// The log store: one log of changes for each session.

import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { logArchive } from '../archive.ts'
import { discoverFiles } from '../discover.ts'
import { JSON_LINES } from '../names.ts'
import { recogniseFile, shared, TOKENS } from '../sessions.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

const MARK = /"projectHash"|"\$set"|"\$rewindTo"|"type":"gemini"/

export const log: Store = {
  ...shared,
  name: JSON_LINES,
  title: 'log of changes in JSON lines',
  traits: {
    framing: 'json-lines',
    linkedByParent: false,
    headerRecord: true,
    toolPairs: true,
    indexBeside: true,
    rewinds: true,
    splitsAtSeparators: true,
    appendOnly: true,
    tokens: TOKENS,
  },
  discover: (location, options) => discoverFiles({ generation: JSON_LINES, reportsFolders: true }, location, options),
  read,
  parts: () => import('./parts.ts').then(module => module.parts),
  recognise: (path, head) => recogniseFile(JSON_LINES, MARK, path, head),
  archive: logArchive,
  adoption: () => import('../adoption.ts').then(module => module.adoption),
  listing: () => import('../listing.ts').then(module => module.listing),
  repair: () => import('./repair.ts').then(module => module.repair),
}
