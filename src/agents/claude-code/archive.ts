// What belongs to a session beside its log: the folder with its name, its todo list, and the versions of
// files that a rewind needs. The logs of subagents are sessions of their own.
import { randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { SessionRef } from '../../model/session.ts'
import type { SideFile, StoreArchive } from '../archive.ts'
import { filesBelow } from '../stores/files-below.ts'
import { configFolders } from './folders.ts'

const BESIDE = ['file-history', 'tasks', 'session-env']

export const archive: StoreArchive = {
  beside(session) {
    if (session.subagentOf !== undefined) return []
    const { sessionId, filePath } = session
    const own = filesBelow(join(dirname(filePath), sessionId)).filter(path => !isSubagent(path))
    const folder = configFolderOf(session)
    if (folder === undefined) return own.map(describe)
    const more = BESIDE.flatMap(name => filesBelow(join(folder, name, sessionId)))
    return [...own, ...more, join(folder, 'todos', `${sessionId}-agent-${sessionId}.json`)].map(describe)
  },
  folders: environment => configFolders(environment),
  renew({ sessionId }) {
    const fresh = randomUUID()
    return { sessionId: fresh, replace: [{ from: sessionId, to: fresh }] }
  },
}

/** Undefined for a log in another place, such as a copy. */
function configFolderOf({ storeRoot }: SessionRef): string | undefined {
  return basename(storeRoot) === 'projects' ? dirname(storeRoot) : undefined
}

function isSubagent(path: string): boolean {
  return path.endsWith('.jsonl') && /[/\\]subagents[/\\]/.test(path)
}

function describe(path: string): SideFile {
  return { path, kind: path.endsWith('.jsonl') ? 'log' : 'document' }
}
