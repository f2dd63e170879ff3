// Gemini CLI: one log of changes a session below ~/.gemini/tmp, or in its early versions one JSON document.
import { words } from '../../model/program.ts'
import type { Agent } from '../agent.ts'
import { document } from './document/index.ts'
import { log } from './log/index.ts'
import { retention } from './retention.ts'

export const geminiCli: Agent = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  stores: [log, document],
  processNames: ['gemini'],
  start: () => ({ command: 'gemini', words: words() }),
  acp: () => ({ name: 'gemini', command: 'gemini', args: ['--acp'], install: '@google/gemini-cli' }),
  retention,
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}
