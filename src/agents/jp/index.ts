// JP stores each conversation as a folder of JSON files, in the workspace and in the user's data. `rethread
// sanitize` repairs them.
import { words } from '../../model/program.ts'
import type { Agent } from '../agent.ts'
import { AGENT } from './names.ts'
import { assertCanReturn, hold, repairAgain } from './receipts.ts'
import { active, archived, trashed } from './store/index.ts'

export const jp: Agent = {
  id: AGENT,
  title: 'JP',
  stores: [active, archived, trashed],
  processNames: ['jp'],
  start: () => ({ command: 'jp', words: words('query', '--new') }),
  hold,
  assertCanReturn,
  repairAgain,
  sanitize: () => import('./sanitize/index.ts').then(({ sanitizer }) => sanitizer),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}
