// Cursor: the stores of its command line agent, the transcripts of both, and the database of the editor.
import { basename, dirname } from 'node:path'
import { idValue, words } from '../../model/program.ts'
import { PLAIN_NAME, UUID } from '../../model/session-id.ts'
import type { Adopted, Agent, Generation, Store, Traits } from '../agent.ts'
import type { Mend } from '../repair.ts'
import { discover } from './discover.ts'
import { AGENT, chatsFolder, globalState, projectsFolder } from './places.ts'
import { read } from './read.ts'
import { JSON_LINES, TEXT } from './transcripts/list.ts'

const PLAIN: Traits = {
  framing: 'sqlite',
  linkedByParent: false,
  headerRecord: false,
  toolPairs: true,
  indexBeside: false,
  appendOnly: false,
}

const GENERATIONS: Record<string, Generation> = {
  cli: {
    title: 'a database of proved blobs for each chat',
    sessionId: UUID,
    traits: PLAIN,
    mend: loadDatabaseMend,
  },
  [JSON_LINES]: {
    title: 'transcripts as JSON lines',
    sessionId: PLAIN_NAME,
    traits: { ...PLAIN, framing: 'json-lines', toolPairs: false, appendOnly: true },
    mend: () => import('./transcripts/repair.ts').then(({ mend }) => mend),
  },
  [TEXT]: {
    title: 'transcripts as text',
    sessionId: PLAIN_NAME,
    traits: { ...PLAIN, framing: 'text', toolPairs: false },
  },
  ide: {
    title: "the editor's database",
    sessionId: PLAIN_NAME,
    traits: { ...PLAIN, indexBeside: true },
    mend: loadDatabaseMend,
  },
}

export const cursor: Agent = {
  id: AGENT,
  title: 'Cursor',
  generations: GENERATIONS,
  stores(environment) {
    const state = globalState(environment)
    return [
      folderStore('cli', chatsFolder(environment)),
      folderStore(JSON_LINES, projectsFolder(environment)),
      { generation: 'ide', path: state, root: dirname(state) },
    ]
  },
  discover,
  read,
  adopt,
  withholds({ table, row }) {
    const holdsKeys = table === 'meta' || String(row).startsWith('composerData:')
    return holdsKeys ? 'this row also holds encryption keys' : undefined
  },
  processNames: ['cursor'],
  start: () => ({ command: 'cursor-agent', words: words() }),
  resume(session, facts) {
    switch (session.generation) {
      case 'cli':
        return {
          type: 'command',
          command: 'cursor-agent',
          words: words('--resume', idValue(session.sessionId)),
          folder: facts.project ?? session.project,
        }
      case 'ide':
        return { type: 'unsupported', reason: 'Cursor opens conversations of the editor only in the editor itself.' }
      default:
        return {
          type: 'unsupported',
          reason: 'Only the transcript is left of this chat; cursor-agent resumes from its store (store.db).',
        }
    }
  },
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

async function loadDatabaseMend(): Promise<Mend> {
  return (await import('./cli/repair.ts')).mend
}

function folderStore(generation: string, path: string): Store {
  return { generation, path, root: path }
}

/** The editor's database holds many conversations, so a copy of it is none by itself. */
function adopt(path: string, head: Buffer): Adopted | undefined {
  const text = head.toString('latin1')
  if (path.endsWith('.jsonl') && /^\s*\{"role":"(?:user|assistant)","message":\{"content":/.test(text))
    return { sessionId: basename(path, '.jsonl'), generation: JSON_LINES }
  if (path.endsWith('.txt') && /^(?:user|assistant):\r?\n/.test(text))
    return { sessionId: basename(path, '.txt'), generation: TEXT }
  if (
    text.startsWith('SQLite format 3\0') &&
    /create table[^(]*\bblobs\b/i.test(text) &&
    /create table[^(]*\bmeta\b/i.test(text)
  )
    return {
      sessionId: basename(path) === 'store.db' ? basename(dirname(path)) : basename(path, '.db'),
      generation: 'cli',
    }
  return undefined
}
