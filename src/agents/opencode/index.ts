// OpenCode: an SQLite database for all sessions. Before version 1.2 a tree of small JSON files.
import { words } from '../../model/program.ts'
import type { Agent } from '../agent.ts'
import { database } from './database/index.ts'
import { mcp } from './mcp.ts'
import { AGENT } from './places.ts'
import { tree } from './tree/index.ts'

export const opencode: Agent = {
  id: AGENT,
  title: 'OpenCode',
  stores: [database, tree],
  processNames: ['opencode'],
  start: () => ({ command: 'opencode', words: words() }),
  mcp,
  acp: () => ({
    name: 'opencode',
    command: 'opencode',
    args: ['acp'],
    install: 'opencode-ai',
    login: 'opencode auth login',
  }),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}
