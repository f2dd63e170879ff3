// From what a receipt names to where JP keeps it. The conversation need not be there any more.
import { basename, dirname, join, sep } from 'node:path'
import { statIfThere } from '../../disk/files/handles.ts'
import { quote, quoteWord } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import { type ConversationFolder, folderAt, placeFolder } from './conversations.ts'
import { ACTIVE, EVENTS, OLD_MESSAGES, TRASHED, WORKSPACE_FOLDER } from './names.ts'

/** Receipts name the events of a conversation, what there was before events, or its folder where it has neither. */
export function folderOfReceipt({ filePath }: Pick<SessionRef, 'filePath'>): ConversationFolder {
  const isFile = [EVENTS, OLD_MESSAGES].includes(basename(filePath))
  return folderAt(isFile ? dirname(filePath) : filePath, ACTIVE)
}

/** What a person names on the command line to have it found. */
export function workspaceArgument(root: string): string {
  return basename(root) === WORKSPACE_FOLDER ? dirname(root) : root
}

export function restoreCommand(root: string, name: string): string {
  const dir = quote(workspaceArgument(root))
  // What begins with a dash would be taken for an option.
  return name.startsWith('-')
    ? `rethread trash restore --dir ${dir} -- ${quoteWord(name)}`
    : `rethread trash restore ${quoteWord(name)} --dir ${dir}`
}

export function repairAgain(session: Pick<SessionRef, 'filePath'>, restored: readonly string[]): string {
  const { root } = folderOfReceipt(session)
  const trash = placeFolder(root, TRASHED) + sep
  const [name] = restored
    .filter(path => path.startsWith(trash))
    .map(path => path.slice(trash.length).split(sep)[0] ?? '')
  return name !== undefined && statIfThere(join(trash, name)) !== undefined
    ? restoreCommand(root.path, name)
    : `rethread sanitize ${quote(workspaceArgument(root.path))}`
}
