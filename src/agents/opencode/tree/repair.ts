// The adapter for checks and repairs of a session tree.
import { isConversation } from '../../../model/message.ts'
import type { ParsedTreeFile, TreeRepair } from '../../repair.ts'
import { asObject } from '../../stores/values.ts'
import { ConversationBuilder } from '../conversation.ts'
import { rebuildMessage } from '../rebuild-message.ts'
import { asMillis, infoFromFile } from '../session-info.ts'
import { findUnsettled } from '../settle-tool.ts'
import { refuses } from '../shapes.ts'
import { inOrder } from './order.ts'
import { rebuildSession } from './rebuild-session.ts'
import { TEXTS } from './records.ts'
import { treeFiles } from './session-files.ts'

export const repair: TreeRepair = {
  framing: 'json-tree',
  files: treeFiles,
  texts: TEXTS,
  refuses,
  rebuildMessage,
  rebuildRoot: rebuildSession,
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
