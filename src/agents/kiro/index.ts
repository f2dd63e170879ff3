// Kiro: several stores, from the database of its command line agent to the documents of its editor.
import { words } from '../../model/program.ts'
import type { Agent } from '../agent.ts'
import { database } from './database/index.ts'
import { execution } from './execution/index.ts'
import { ide } from './ide/index.ts'
import { cli, v3, withoutLog } from './log/index.ts'

export const kiro: Agent = {
  id: 'kiro',
  title: 'Kiro',
  stores: [database, cli, v3, withoutLog, ide, execution],
  processNames: ['kiro'],
  start: () => ({ command: 'kiro-cli', words: words('chat') }),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}
