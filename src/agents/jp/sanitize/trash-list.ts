// What is in the trash of a workspace, in all its storages, by whomever it was put there.
import { type Failure, RethreadError } from '../../../model/errors.ts'
import type { Place, TrashedEntry } from '../../sanitizer.ts'
import { type ConversationFolder, listPlace } from '../conversations.ts'
import { parseDisplayId } from '../ids.ts'
import { TRASHED } from '../names.ts'
import type { Workspace } from '../roots.ts'
import { workspaceAt } from './run.ts'
import { readNote, readSidecar } from './trash-names.ts'

export async function listTrash(place: Place): Promise<TrashedEntry[]> {
  const folders = trashFolders(workspaceAt(place))
  const entries = folders.map(({ name, path }) => ({
    name,
    path,
    ...readNote(path),
    isOurs: readSidecar(path) !== undefined,
  }))
  return entries.toSorted((a, b) => ((a.trashedAt ?? '') < (b.trashedAt ?? '') ? 1 : -1))
}

/** Throws where one of the storages cannot be listed. */
function trashFolders(workspace: Workspace): ConversationFolder[] {
  const failures: Failure[] = []
  const folders = workspace.roots.flatMap(root => listPlace(root, TRASHED, failures))
  const [failure] = failures
  if (failure !== undefined) throw new RethreadError(failure)
  return folders
}

/** All copies of one conversation: they have the same name, each in the trash of its own storage. */
export function findTrashed(workspace: Workspace, wanted: string): ConversationFolder[] {
  const all = trashFolders(workspace)
  const plain = wanted.replace(/\.trash$/, '')
  const named = all.filter(({ name }) => name === wanted || name === plain)
  if (named.length > 0) return named
  const id = parseDisplayId(plain)
  const found = all.filter(({ parsed }) => parsed.type !== 'unparseable' && parsed.id === id)
  const names = [...new Set(found.map(({ name }) => name))]
  if (names.length === 1) return found
  if (names.length > 1)
    throw new RethreadError({
      code: 'ambiguous-session',
      text: `There are several of ${wanted} in the trash: ${names.join(', ')}.`,
      hint: 'Name one of them: rethread trash list',
    })
  throw new RethreadError({
    code: 'not-found',
    text: `There is no ${wanted} in the trash.`,
    hint: 'See what is there: rethread trash list',
  })
}
