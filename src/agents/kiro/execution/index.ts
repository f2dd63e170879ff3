// Execution logs of the editor that no session names, each a
// session of its own. The editor's store finds them.
import { PLAIN_NAME } from '../../../model/session-id.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { EXECUTION } from '../ide/execution-files.ts'
import { ide } from '../ide/index.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const execution: Store = {
  name: EXECUTION,
  title: "the editor's execution logs",
  sessionId: PLAIN_NAME,
  traits: {
    framing: 'json-document',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  // They are in the folders of the editor's sessions.
  locations: () => [],
  async *discover() {},
  read,
  resume: ide.resume,
}
