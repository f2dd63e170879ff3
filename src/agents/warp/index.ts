// Warp: all conversations in one database. Their messages are Protocol Buffers in `agent_tasks`.
import { PLAIN_NAME } from '../../model/session-id.ts'
import type { Agent } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { applicationSupport, inHome, joinIn, localApplicationData, stateHome } from '../environment.ts'
import { lazyRead } from '../lazy-read.ts'
import type { Location, Store } from '../store.ts'
import { archive } from './archive.ts'
import { DATABASE, discover } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

const database: Store = {
  name: DATABASE,
  title: 'SQLite with Protocol Buffers',
  sessionId: PLAIN_NAME,
  traits: {
    framing: 'sqlite',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  locations: environment => channelFolders(environment).flatMap(folder => databasesIn(environment, folder)),
  discover,
  read,
  parts: () => import('./parts.ts').then(module => module.parts),
  // No `recognise`: the database holds many conversations, so the path of a copy identifies none.
  resume: () => ({
    type: 'unsupported',
    reason:
      'Warp has no command for it: it restores its conversations itself. Open Warp and choose this one from the list of agent conversations.',
  }),
  archive,
  repair: () => import('../stores/read-only-database.ts').then(module => module.readOnlyRepair(read)),
}

export const warp: Agent = {
  id: 'warp',
  title: 'Warp',
  stores: [database],
  processNames: ['warp', 'warp-terminal', 'dev.warp.warp-stable'],
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

/** The application, and the terminal front end, which has its own database. */
function databasesIn(environment: Environment, folder: string): Location[] {
  const tui = joinIn(environment, folder, 'tui')
  return [folder, tui].map(root => ({ path: joinIn(environment, root, 'warp.sqlite'), root }))
}

const MAC_CHANNELS = ['Warp-Stable', 'Warp-Preview', 'Warp-Dev', 'Warp-Local', 'Warp-Integration', 'WarpOss']
const LINUX_CHANNELS = [
  'warp-terminal',
  'warp-terminal-preview',
  'warp-terminal-dev',
  'warp-terminal-local',
  'warp-terminal-integration',
  'warp-oss',
]
const WINDOWS_CHANNELS = ['Warp', 'WarpPreview', 'WarpDev', 'WarpLocal', 'WarpIntegration', 'WarpOss']
const MAC_GROUP = '2BBY89MBSN.dev.warp'

function channelFolders(environment: Environment): string[] {
  switch (environment.platform) {
    case 'darwin': {
      const group = inHome(environment, 'Library', 'Group Containers', MAC_GROUP, 'Library', 'Application Support')
      // Before Warp had its group container, and if it may not use it, the database is in the usual place.
      return [group, applicationSupport(environment)].flatMap(folder =>
        MAC_CHANNELS.map(channel => joinIn(environment, folder, `dev.warp.${channel}`)),
      )
    }
    case 'linux':
      return LINUX_CHANNELS.map(channel => joinIn(environment, stateHome(environment), channel))
    case 'win32':
      return WINDOWS_CHANNELS.map(channel =>
        joinIn(environment, localApplicationData(environment), 'warp', channel, 'data'),
      )
  }
}
