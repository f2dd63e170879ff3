// The adapter for checks and repairs of a session tree.
import { exists, listFolder } from '../../../disk/files/read.ts'
import { isConversation } from '../../../model/message.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ParsedTreeFile, TreeFile, TreeRepair } from '../../repair.ts'
import { asObject } from '../../stores/values.ts'
import { ConversationBuilder } from '../conversation.ts'
import { rebuildMessage } from '../rebuild-message.ts'
import { asMillis, infoFromFile } from '../session-info.ts'
import { findUnsettled } from '../settle-tool.ts'
import { refuses } from '../shapes.ts'
import { rebuildSessionFile } from './rebuild-session.ts'
import {
  inOrder,
  isRecordFile,
  messagesFolder,
  partsFolder,
  recordFile,
  sessionFile,
  sessionsFolder,
  storageOf,
  TEXTS,
} from './records.ts'

export const repair: TreeRepair = {
  framing: 'json-tree',
  files: treeFiles,
  texts: TEXTS,
  refuses,
  rebuildMessage,
  rebuildRoot: rebuildSessionFile,
  countMessages,
  findUnsettled,
}

/** Counts as the reader does: without the reverted part. */
function countMessages(files: readonly ParsedTreeFile[]): number {
  const root = files.find(file => file.role === 'session')?.value
  const conversation = new ConversationBuilder('', root === undefined ? {} : infoFromFile(root), undefined)
  const messages = new Map(files.flatMap(file => (file.role === 'message' ? [[file.file, file]] : [])))
  const parts = Map.groupBy(files, file => (file.role === 'part' ? file.of : undefined))
  const named = [...messages.values()].map(({ id, file }) => ({ id, path: file }))
  const createdAt = (path: string) => asMillis(asObject(messages.get(path)?.value?.['time'])?.['created'])
  let count = 0
  for (const { id, path } of inOrder(named, createdAt)) {
    const own = (parts.get(id) ?? []).flatMap(({ id, value }) => (value === undefined ? [] : [{ id, value }]))
    const at = { file: path, start: 0, end: 0 }
    const shown = conversation.take({ id, value: messages.get(path)?.value, parts: own, at })
    if (shown !== undefined && isConversation(shown)) count++
  }
  return count
}

function treeFiles(session: SessionRef): TreeFile[] {
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
