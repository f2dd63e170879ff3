// Gemini CLI: one log of changes for each session below ~/.gemini/tmp. Early versions wrote one JSON
// document.
import { words } from '../../model/program.ts'
import type { Agent } from '../agent.ts'
import { document } from './document/index.ts'
import { log } from './log/index.ts'
import { mcp } from './mcp.ts'
import { retention } from './retention.ts'

export const geminiCli: Agent = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  stores: [log, document],
  processNames: ['gemini'],
  start: () => ({ command: 'gemini', words: words() }),
  mcp,
  acp: () => ({ name: 'gemini', command: 'gemini', args: ['--acp'], install: '@google/gemini-cli', login: 'gemini' }),
  retention,
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}
