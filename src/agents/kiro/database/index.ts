// The database of the command line agent: one JSON document for each conversation.
import { PLAIN_NAME } from '../../../model/session-id.ts'
import type { Environment } from '../../environment.ts'
import {
  applicationSupport,
  configFolder,
  dataFolder,
  inHome,
  joinIn,
  localApplicationData,
} from '../../environment.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { databaseArchive } from '../archive.ts'
import { kiroHome } from '../folders.ts'
import { DATABASE, discover } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const database: Store = {
  name: DATABASE,
  title: 'SQLite with a JSON document for each conversation',
  sessionId: PLAIN_NAME,
  traits: {
    framing: 'sqlite',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  locations: environment =>
    databaseFolders(environment).map(root => ({ path: joinIn(environment, root, 'data.sqlite3'), root })),
  discover,
  read,
  resume: () => ({
    type: 'unsupported',
    reason:
      'Kiro finds these conversations by their folder and takes the newest there. To continue that one, run in the folder: kiro-cli chat --classic --resume',
  }),
  archive: databaseArchive,
  repair: () => import('../../stores/read-only-database.ts').then(module => module.readOnlyRepair(read)),
}

/** Kiro's command line agent was formerly Amazon Q, and reuses its database. */
const DATABASE_FOLDERS = ['kiro-cli', 'amazon-q', 'amazonq']

function databaseFolders(environment: Environment): string[] {
  const bases = {
    linux: [dataFolder(environment)],
    darwin: [applicationSupport(environment)],
    win32: [applicationSupport(environment), localApplicationData(environment)],
  }[environment.platform]
  return [
    kiroHome(environment),
    inHome(environment, '.amazonq'),
    ...bases.flatMap(base => DATABASE_FOLDERS.map(name => joinIn(environment, base, name))),
    // Some versions store it among the settings.
    ...(environment.platform === 'linux' ? [joinIn(environment, configFolder(environment), 'kiro-cli')] : []),
  ]
}
