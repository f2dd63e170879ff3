// Amp: one JSON document a thread. Since spring 2026 it keeps threads on its server; these are the older ones, and exports.
import { basename } from 'node:path'
import { idValue, words } from '../../model/program.ts'
import { idLike, uuid } from '../../model/session-id.ts'
import type { Agent, Store } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { inHome, joinIn, variable } from '../environment.ts'
import { discover } from './discover.ts'
import { read } from './read.ts'

const THREADS = 'threads'

export const amp: Agent = {
  id: 'amp',
  title: 'Amp',
  generations: {
    [THREADS]: {
      title: 'JSON document',
      sessionId: idLike(`T-${uuid}`),
      traits: {
        framing: 'json-document',
        linkedByParent: false,
        headerRecord: false,
        toolPairs: true,
        indexBeside: false,
        appendOnly: false,
      },
      mend: () => import('./repair.ts').then(module => module.mend),
    },
  },
  stores: environment => dataFolders(environment).map(folder => store(joinIn(environment, folder, 'amp', THREADS))),
  discover: at => discover(at),
  read,
  adopt(path, head) {
    if (!path.endsWith('.json')) return undefined
    const id = /"id"\s*:\s*"(T-[\w-]+)"/.exec(head.toString('latin1'))?.[1]
    const name = basename(path, '.json')
    const sessionId = id ?? (/^T-[\w-]+$/.test(name) ? name : undefined)
    return sessionId === undefined ? undefined : { sessionId, generation: THREADS }
  },
  // The agent never reads the file again: it goes on with the thread of that id on its server.
  processNames: ['amp'],
  start: () => ({ command: 'amp', words: words() }),
  // It speaks no ACP itself. Adapters of this name exist, none of them as a package that could be recommended.
  acp: () => ({
    name: 'amp',
    command: 'amp-acp',
    args: [],
    models: [{ id: 'amp-default', name: 'Default', family: 'Amp' }],
  }),
  resume: (session, facts) => ({
    type: 'command',
    command: 'amp',
    words: words('threads', 'continue', idValue(facts.sessionId ?? session.sessionId)),
    folder: facts.project,
  }),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

function store(path: string): Store {
  return { generation: THREADS, path, root: path }
}

function dataFolders(environment: Environment): string[] {
  const folders = [
    variable(environment, 'AMP_DATA_HOME'),
    variable(environment, 'XDG_DATA_HOME'),
    inHome(environment, '.local', 'share'),
  ]
  return [...new Set(folders.filter(folder => folder !== undefined))]
}
