// What a new conversation can be started with: agents and folders.
import { isAbsolute, resolve } from 'node:path'
import { canWorkIn, requireFolder } from '../../../disk/files/named-folder.ts'
import type { AcpAgents } from '../../../journal/connection/acp-agents.ts'
import { RethreadError } from '../../../model/errors.ts'
import { paste } from '../../../model/paste.ts'
import type { TalkAgent } from '../../api.ts'
import { MAX_FOLDERS } from '../../limits.ts'
import type { SessionCatalog } from '../../sessions/index.ts'

/** The default agent first, then installed ones, the built-in one, and the others. */
export function listAgents(agents: AcpAgents): TalkAgent[] {
  const known = agents.list().map(({ name, title, isInstalled, install, source }) => ({
    name,
    title,
    isInstalled,
    ...(install === undefined ? {} : { install: paste('npm install --global', install) }),
    source,
  }))
  const preferred = agents.defaultName()
  const rank = ({ name, isInstalled, source }: TalkAgent): number =>
    name === preferred ? 0 : !isInstalled ? 3 : source === 'built-in' ? 2 : 1
  return known.sort((one, other) => rank(one) - rank(other))
}

/** The folders of the newest conversations with any agent; the home folder if there are none. */
export function recentFolders(sessions: Pick<SessionCatalog, 'all'>, home: string): string[] {
  const newest = new Map<string, string>()
  for (const { row } of sessions.all()) {
    const { project, updatedAt } = row
    if (project !== null && (newest.get(project) ?? '') < updatedAt) newest.set(project, updatedAt)
  }
  const ordered = [...newest].sort(([, one], [, other]) => (one < other ? 1 : -1)).map(([folder]) => folder)
  const there = takeFolders(ordered)
  return there.length === 0 ? [home] : there
}

/** Stops when enough existing folders are found. */
function takeFolders(ordered: readonly string[]): string[] {
  const found: string[] = []
  for (const folder of ordered.slice(0, 3 * MAX_FOLDERS)) {
    if (found.length >= MAX_FOLDERS) break
    if (canWorkIn(folder)) found.push(folder)
  }
  return found
}

/** Accepts an absolute path or one below the home. Throws `usage` if it is not a usable folder. */
export function readFolder(asked: string, home: string): string {
  const named = asked.trim()
  const isOfHome = named === '~' || /^~[/\\]/.test(named)
  const folder = isOfHome ? resolve(home, named.slice(2)) : named
  if (!isAbsolute(folder) || folder.split(/[/\\]/).includes('..'))
    throw new RethreadError({
      code: 'usage',
      text: `${named} is not an absolute path.`,
      hint: 'Use an absolute path, or one from the home folder: ~/project',
      path: named,
    })
  try {
    requireFolder(folder)
  } catch (error) {
    if (!(error instanceof RethreadError) || error.code !== 'not-found') throw error
    // `usage` instead of `not-found`: the folder is a parameter, not the requested resource.
    throw new RethreadError({ code: 'usage', text: error.message, hint: error.hint, path: folder, cause: error })
  }
  return resolve(folder)
}
