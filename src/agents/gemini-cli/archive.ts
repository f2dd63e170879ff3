// Beside a session: which project its folder belongs to.
import { dirname, join } from 'node:path'
import type { StoreArchive } from '../archive.ts'
import { agentFolder } from './sessions.ts'

export const archive: StoreArchive = {
  beside(session, environment) {
    if (session.subagentOf !== undefined) return []
    const project = dirname(dirname(session.filePath))
    return [join(project, '.project_root'), join(agentFolder(environment), 'projects.json')].map(path => ({
      path,
      kind: 'document',
      isShared: true,
    }))
  },
  folders: environment => [agentFolder(environment)],
}

/** The agent deletes sessions by the time in the log, which is that of the last change of facts. */
export const logArchive: StoreArchive = {
  ...archive,
  refresh: now => Buffer.from(`${JSON.stringify({ $set: { lastUpdated: now } })}\n`),
}
