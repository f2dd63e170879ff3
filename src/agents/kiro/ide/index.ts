// The document store of the editor.
import { basename } from 'node:path'
import { PLAIN_NAME } from '../../../model/session-id.ts'
import { applicationSupport, inHome, joinIn } from '../../environment.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { documentArchive } from '../archive.ts'
import { discover, IDE } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const ide: Store = {
  name: IDE,
  title: "the editor's JSON documents",
  sessionId: PLAIN_NAME,
  traits: {
    framing: 'json-document',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: true,
    appendOnly: false,
  },
  locations(environment) {
    const storage = ['User', 'globalStorage', 'kiro.kiroagent']
    return [
      joinIn(environment, applicationSupport(environment), 'Kiro', ...storage),
      // Where a window of another machine stores its data.
      inHome(environment, '.kiro-server', 'data', ...storage),
    ].map(path => ({ path, root: path }))
  },
  discover,
  read,
  archive: documentArchive,
  recognise(path, head) {
    const text = head.toString('latin1')
    if (path.endsWith('.chat') && /"(?:executionId|actionId)"/.test(text)) return basename(path, '.chat')
    if (path.endsWith('.json') && /"workspaceDirectory"|"workspacePath"/.test(text) && text.includes('"history"'))
      return basename(path, '.json')
    return undefined
  },
  resume: () => ({
    type: 'unsupported',
    reason: 'The Kiro editor has no command for it. Open the project in Kiro and choose the session from its list.',
  }),
  repair: () => import('./repair.ts').then(module => module.repair),
  listing: () => import('./listing.ts').then(module => module.listing),
}
