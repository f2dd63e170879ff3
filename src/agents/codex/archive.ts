// The rows of a thread in the index. Codex makes missing ones again when it resumes a thread by its id, but
// lists only threads that have one.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { exists } from '../../disk/files/read.ts'
import type { StoreArchive } from '../archive.ts'
import { type Environment, inHome, variable } from '../environment.ts'
import { codexHomeOf, INDEX } from './repair/databases.ts'

export function codexHome(environment: Environment): string {
  return variable(environment, 'CODEX_HOME') ?? inHome(environment, '.codex')
}

export const archive: StoreArchive = {
  folders: environment => [codexHome(environment)],
  renew({ sessionId }) {
    const fresh = randomUUID()
    return { sessionId: fresh, replace: [{ from: sessionId, to: fresh }] }
  },
  index(session) {
    const home = codexHomeOf(session)
    if (home === undefined || !exists(join(home, INDEX))) return undefined
    const of = (table: string, column: string) => ({
      table,
      where: `${column} = ?`,
      values: [session.sessionId],
      columns: [column],
    })
    const tables = [of('threads', 'id'), of('thread_dynamic_tools', 'thread_id'), of('thread_attachments', 'thread_id')]
    return { file: join(home, INDEX), root: home, tables }
  },
}
