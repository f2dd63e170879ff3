// Cursor: the chat databases of its command line agent, the transcripts of both, and the databases of the
// editor.
import { words } from '../../model/program.ts'
import type { Agent } from '../agent.ts'
import { chats } from './chats/index.ts'
import { cli } from './cli/index.ts'
import { ide } from './ide/index.ts'
import { AGENT } from './places.ts'
import { textTranscripts, transcripts } from './transcripts/index.ts'

export const cursor: Agent = {
  id: AGENT,
  title: 'Cursor',
  stores: [cli, transcripts, textTranscripts, ide, chats],
  processNames: ['cursor'],
  start: () => ({ command: 'cursor-agent', words: words() }),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}
