// Where OpenCode stores sessions: the same folder below the home on every platform, with databases and the
// older tree of files.

import { dirname, posix, win32 } from 'node:path'
import { exists, type FolderEntry, listFolder } from '../../disk/files/read.ts'
import { idValue, words } from '../../model/program.ts'
import { dataFolder, type Environment, joinIn, variable } from '../environment.ts'
import type { Location, Store } from '../store.ts'

export const AGENT = 'opencode'

/** `opencode.db`, and `opencode-<channel>.db` for builds of other channels. */
const DATABASE_NAME = /^opencode(?:-[\w.-]+)?\.db$/

export function treeLocation(environment: Environment): Location {
  const path = joinIn(environment, ownFolder(environment), 'storage')
  return { path, root: path }
}

/**
 * The folder with the databases, or the one database that OPENCODE_DB names. Undefined if that one is not on
 * disk.
 */
export function databaseLocation(environment: Environment): Location | undefined {
  const folder = ownFolder(environment)
  const moved = variable(environment, 'OPENCODE_DB')
  if (moved === undefined) return { path: folder, root: folder }
  if (moved === ':memory:') return undefined
  const isAbsolute = (environment.platform === 'win32' ? win32 : posix).isAbsolute(moved)
  const path = isAbsolute ? moved : joinIn(environment, folder, moved)
  return { path, root: dirname(path) }
}

function ownFolder(environment: Environment): string {
  return joinIn(environment, dataFolder(environment), AGENT)
}

/** The database files of a location. A missing folder has none. */
export function databasesIn(location: Location): string[] {
  if (location.path !== location.root) return exists(location.path) ? [location.path] : []
  return listFolder(location.path)
    .filter(isDatabase)
    .map(entry => entry.path)
}

function isDatabase(entry: FolderEntry): boolean {
  return DATABASE_NAME.test(entry.name) && !entry.isFolder
}

/** The databases into which a tree's sessions may have been migrated. */
export function databasesOf(environment: Environment): Location[] {
  const location = databaseLocation(environment)
  return location === undefined ? [] : databasesIn(location).map(path => ({ path, root: location.root }))
}

export const PATTERN = /^ses_[\w-]{1,64}$/

export const resume: Store['resume'] = (session, facts) => {
  if ((session.subagentOf ?? facts.subagentOf) !== undefined)
    return {
      type: 'unsupported',
      reason: 'A subagent takes no prompts; resume the session it belongs to.',
    }
  const folder = facts.project ?? session.project
  return { type: 'command', command: 'opencode', words: words('--session', idValue(session.sessionId)), folder }
}
