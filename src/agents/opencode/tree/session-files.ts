// The files that OpenCode reads for one session: every file in its folders, including those it did not write.
import { exists, listFolder } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { TreeFile } from '../../repair.ts'
import {
  isRecordFile,
  messagesFolder,
  partsFolder,
  recordFile,
  sessionFile,
  sessionsFolder,
  storageOf,
} from './records.ts'

export function treeFiles(session: SessionRef): TreeFile[] {
  const storage = storageOf(session.filePath)
  const root = rootFile(session, storage)
  const messages = filesIn(messagesFolder(storage, session.sessionId), 'message')
  return [
    ...(root === undefined ? [] : [{ file: root, role: 'session' as const, id: session.sessionId }]),
    ...messages.flatMap(message => [message, ...partsOf(storage, message)]),
  ]
}

/** OpenCode never reads the parts of a missing message. */
function partsOf(storage: string, message: TreeFile): TreeFile[] {
  if (message.role !== 'message') return []
  return filesIn(partsFolder(storage, message.id), 'part').map(part => ({ ...part, of: message.id }))
}

/** A session that was found by its messages alone may have its file again. */
function rootFile(session: SessionRef, storage: string): string | undefined {
  const { filePath } = session
  if (filePath !== messagesFolder(storage, session.sessionId)) return exists(filePath) ? filePath : undefined
  return listFolder(sessionsFolder(storage))
    .map(project => sessionFile(storage, project.name, session.sessionId))
    .find(exists)
}

/** OpenCode's search covers every folder and leaves out only names with a leading dot. */
function filesIn(folder: string, role: 'message' | 'part'): TreeFile[] {
  return listFolder(folder)
    .filter(({ name }) => !name.startsWith('.'))
    .flatMap((entry): TreeFile[] => {
      if (entry.isFolder) return filesIn(entry.path, role).map(file => ({ ...file, role: 'stray' }))
      if (!isRecordFile(entry)) return [{ file: entry.path, role: 'stray', id: entry.name }]
      const { id, path } = recordFile(entry)
      return [{ file: path, role, id }]
    })
}
