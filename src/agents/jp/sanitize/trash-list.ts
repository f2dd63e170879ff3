// What is in the trash of a workspace, in all its storages, by whomever it was put there.
import { type Failure, RethreadError } from '../../../model/errors.ts'
import type { SanitizeContext, TrashedEntry } from '../../sanitizer.ts'
import { type ConversationFolder, listPlace } from '../conversations.ts'
import { parseDisplayId, parseFolderName } from '../ids.ts'
import { TRASHED } from '../names.ts'
import type { Workspace } from '../roots.ts'
import { workspaceAt } from './run.ts'
import { readNote, readSidecar } from './trash-names.ts'

export async function listTrash(place: SanitizeContext): Promise<TrashedEntry[]> {
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

/** All copies of one conversation: they have the same name, each in the trash of its own storage, or were put there together. */
export function findTrashed(workspace: Workspace, wanted: string): ConversationFolder[] {
  const all = trashFolders(workspace)
  const plain = wanted.replace(/\.trash$/, '')
  const named = all.filter(({ name }) => name === wanted || name === plain)
  if (named.length > 0) return withCompanions(named, all)
  const id = parseDisplayId(plain)
  const found = all.filter(({ parsed }) => parsed.type !== 'unparseable' && parsed.id === id)
  const names = [...new Set(found.map(({ name }) => name))]
  const together = found.slice(0, 1).flatMap(first => withCompanions([first], all))
  if (names.length === 1) return found
  if (found.length > 0 && found.every(folder => together.includes(folder))) return found
  if (names.length > 1)
    throw new RethreadError({
      code: 'ambiguous-session',
      text: `The trash has several entries for ${wanted}: ${names.join(', ')}.`,
      hint: 'Specify one of them: rethread trash list',
    })
  throw new RethreadError({
    code: 'not-found',
    text: `There is no ${wanted} in the trash.`,
    hint: 'See what is there: rethread trash list',
  })
}

/** Its copies can have other names: JP names the folder again when the title changes, and one in the trash may have got a number. */
function withCompanions(
  found: readonly ConversationFolder[],
  all: readonly ConversationFolder[],
): ConversationFolder[] {
  const marks = new Set(found.flatMap(folder => markOf(folder) ?? []))
  const together = [...found]
  // One in each storage: somebody may have copied a folder in the trash.
  for (const folder of all)
    if (marks.has(markOf(folder) ?? '') && together.every(({ root }) => root.path !== folder.root.path))
      together.push(folder)
  return all.filter(folder => together.includes(folder))
}

/** The same for everything of one conversation that we have trashed at once. */
function markOf({ path }: ConversationFolder): string | undefined {
  const sidecar = readSidecar(path)
  const parsed = sidecar && parseFolderName(sidecar.name)
  return parsed === undefined || parsed.type === 'unparseable' ? undefined : `${sidecar?.trashedAt} ${parsed.id}`
}
