// Where OpenCode keeps sessions: the same folder below the home on every platform, with databases in it and the tree of files from before.
import { dirname, posix, win32 } from 'node:path'
import type { FolderEntry } from '../../disk/files/read.ts'
import { exists, listFolder } from '../../disk/files/read.ts'
import type { Store } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { dataFolder, joinIn, variable } from '../environment.ts'

export const AGENT = 'opencode'

/** `opencode.db`, and `opencode-<channel>.db` for builds of other channels. */
const DATABASE_NAME = /^opencode(?:-[\w.-]+)?\.db$/

export function storesOf(environment: Environment): Store[] {
  const database = databaseStore(environment)
  const tree = joinIn(environment, ownFolder(environment), 'storage')
  return [...(database === undefined ? [] : [database]), { generation: 'tree', path: tree, root: tree }]
}

/** The folder with the databases, or the one database that OPENCODE_DB names; undefined where that one is not on disk. */
function databaseStore(environment: Environment): Store | undefined {
  const folder = ownFolder(environment)
  const moved = variable(environment, 'OPENCODE_DB')
  if (moved === undefined) return { generation: 'database', path: folder, root: folder }
  if (moved === ':memory:') return undefined
  const isAbsolute = (environment.platform === 'win32' ? win32 : posix).isAbsolute(moved)
  const path = isAbsolute ? moved : joinIn(environment, folder, moved)
  return { generation: 'database', path, root: dirname(path) }
}

function ownFolder(environment: Environment): string {
  return joinIn(environment, dataFolder(environment), AGENT)
}

/** The database files of a store. A folder that is not there has none. */
export function databasesIn(store: Store): string[] {
  if (store.path !== store.root) return exists(store.path) ? [store.path] : []
  return listFolder(store.path)
    .filter(isDatabase)
    .map(entry => entry.path)
}

function isDatabase(entry: FolderEntry): boolean {
  return DATABASE_NAME.test(entry.name) && !entry.isFolder
}

/** The databases that a tree's sessions may have been taken over into. */
export function databasesOf(environment: Environment): { path: string; root: string }[] {
  const store = databaseStore(environment)
  return store === undefined ? [] : databasesIn(store).map(path => ({ path, root: store.root }))
}
