// Whether an undo may bring a conversation back: JP finds one by its id, and would not find two.

import { statIfThere } from '../../disk/files/handles.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { Environment } from '../environment.ts'
import { type ConversationFolder, folderInStorage, listConversations } from './conversations.ts'
import { workspaceOfRoot } from './hold.ts'
import { displayId } from './ids.ts'
import { ACTIVE, ARCHIVED, TRASHED } from './names.ts'

/** `returning` are paths of whatever comes back; only folders of conversations are looked at. */
export function assertCanReturn(environment: Environment, returning: readonly string[]): void {
  for (const path of returning) {
    const folder = folderInStorage(path)
    if (folder === undefined || folder.place === TRASHED || statIfThere(path) !== undefined) continue
    const rival = otherFolderWithId(folder, environment)
    if (rival !== undefined) throw existsAgain(folder, rival)
  }
}

/** One with its id and another name. Under the same name it is a copy of the same conversation, in another storage. */
function otherFolderWithId(
  { parsed, name, root }: ConversationFolder,
  environment: Environment,
): ConversationFolder | undefined {
  if (parsed.type === 'unparseable') return undefined
  const { conversations } = listConversations(workspaceOfRoot(root, environment), [ACTIVE, ARCHIVED])
  return conversations
    .flatMap(({ folders }) => folders)
    .find(other => other.parsed.type !== 'unparseable' && other.parsed.id === parsed.id && other.name !== name)
}

function existsAgain({ path }: ConversationFolder, rival: ConversationFolder): RethreadError {
  const id = displayId(rival.parsed.type === 'unparseable' ? rival.name : rival.parsed.id)
  return new RethreadError({
    code: 'undo-conflict',
    text: `Conversation ${id} exists again, in ${rival.path}: with ${path} restored, JP would not find both. Nothing was undone.`,
    hint: `See the one that is there: ${paste('rethread show', id)}`,
    path,
  })
}
