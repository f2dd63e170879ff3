// Amp: one JSON document for each thread. Since spring 2026 threads are on Amp's server. These are older
// threads, and exports.
import { basename } from 'node:path'
import { idValue, words } from '../../model/program.ts'
import { idLike, uuid } from '../../model/session-id.ts'
import type { Agent } from '../agent.ts'
import { type Environment, inHome, joinIn, variable } from '../environment.ts'
import { lazyRead } from '../lazy-read.ts'
import type { Found, Location, Store } from '../store.ts'
import { foundFile, listStore } from '../stores/list-folders.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

const AGENT = 'amp'
const THREADS = 'threads'

const threads: Store = {
  name: THREADS,
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
  locations: environment =>
    dataFolders(environment).map(folder => {
      const path = joinIn(environment, folder, 'amp', THREADS)
      return { path, root: path }
    }),
  discover,
  read,
  recognise(path, head) {
    if (!path.endsWith('.json')) return undefined
    const id = /"id"\s*:\s*"(T-[\w-]+)"/.exec(head.toString('latin1'))?.[1]
    const name = basename(path, '.json')
    return id ?? (/^T-[\w-]+$/.test(name) ? name : undefined)
  },
  // The agent never reads the file again. It continues the thread with that id on its server.
  resume: (session, facts) => ({
    type: 'command',
    command: 'amp',
    words: words('threads', 'continue', idValue(facts.sessionId ?? session.sessionId)),
    folder: facts.project,
  }),
  repair: () => import('./repair.ts').then(module => module.repair),
}

export const amp: Agent = {
  id: 'amp',
  title: 'Amp',
  stores: [threads],
  processNames: ['amp'],
  start: () => ({ command: 'amp', words: words() }),
  // Amp itself does not support ACP. Adapters exist, but none as a package to recommend.
  acp: () => ({
    name: 'amp',
    command: 'amp-acp',
    args: [],
    login: 'amp login',
    models: [{ id: 'amp-default', name: 'Default', family: 'Amp' }],
  }),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

function dataFolders(environment: Environment): string[] {
  const folders = [
    variable(environment, 'AMP_DATA_HOME'),
    variable(environment, 'XDG_DATA_HOME'),
    inHome(environment, '.local', 'share'),
  ]
  return [...new Set(folders.filter(folder => folder !== undefined))]
}

/** threads/T-<uuid>.json, with nothing beside it. */
async function* discover(location: Location): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, location)
  yield* listing.failures
  for (const file of listing.files) {
    if (/^T-.+\.json$/s.test(file.name))
      yield foundFile(AGENT, location, file.path, { sessionId: basename(file.name, '.json'), generation: THREADS })
  }
}
