// The rows and files of a session. The project is shared: without it, the session is not listed.
import { basename, dirname, join } from 'node:path'
import type { RowsOfTable } from '../../disk/sqlite/session-rows.ts'
import type { StoreArchive } from '../archive.ts'

const BY_SESSION = ['message', 'part', 'session_message', 'session_input', 'session_context_epoch', 'todo']

export const databaseArchive: StoreArchive = {
  rows({ filePath, storeRoot, sessionId }) {
    const of = (table: string, column: string): RowsOfTable => ({
      table,
      where: `${column} = ?`,
      values: [sessionId],
      columns: [column],
    })
    const project: RowsOfTable = {
      table: 'project',
      where: 'id IN (SELECT project_id FROM session WHERE id = ?)',
      values: [sessionId],
      columns: ['id'],
      isShared: true,
    }
    return {
      file: filePath,
      root: storeRoot,
      tables: [project, of('session', 'id'), ...BY_SESSION.map(table => of(table, 'session_id'))],
    }
  },
}

export const treeArchive: StoreArchive = {
  beside({ filePath, storeRoot, sessionId }) {
    const own = ['session_diff', 'todo', 'session_share'].map(name => join(storeRoot, name, `${sessionId}.json`))
    const project = join(storeRoot, 'project', `${basename(dirname(filePath))}.json`)
    return [
      ...own.map(path => ({ path, kind: 'document' as const })),
      { path: project, kind: 'document' as const, isShared: true },
    ]
  },
}
