// Lists the trash of a workspace, and repairs and restores a conversation from it.
import { join } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { statIfThere } from '../../../disk/files/handles.ts'
import type { Failure } from '../../../model/errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import { paste } from '../../../model/paste.ts'
import type { SanitizeContext, SanitizeReport, TrashedEntry, TrashRestoreOptions } from '../../sanitizer.ts'
import { asObject, asText } from '../../stores/values.ts'
import { readUnchanged } from '../classify/classify-file.ts'
import { classifyConversation } from '../classify/index.ts'
import type { ConversationFolder, JpConversation } from '../conversations.ts'
import { listPlace, placeFolder } from '../conversations.ts'
import { displayId, folderNameOf, parseDisplayId, parseFolderName } from '../ids.ts'
import { ACTIVE, ARCHIVED, METADATA, TRASHED } from '../names.ts'
import type { Workspace } from '../roots.ts'
import type { ConversationMove, FilePlan } from './apply-files.ts'
import { applyFiles, withoutCopies } from './apply-files.ts'
import { diagnose } from './diagnosis.ts'
import { examineAll } from './examine.ts'
import type { SanitizeJob } from './job.ts'
import { emptyReport, entryFor, makeSanitizeJob } from './job.ts'
import { readSidecar, readTrashNote, SIDECAR, TRASH_NOTE } from './move-to-trash.ts'
import { planConversation } from './plan-conversation.ts'
import { conflictingId, freeId, liveIds } from './rename-folder.ts'
import { underLock } from './repair-conversation.ts'
import { finishInterruptedRepairs, workspaceAt } from './run.ts'

export async function restoreFromTrash(options: TrashRestoreOptions): Promise<SanitizeReport> {
  const workspace = workspaceAt(options)
  const report = emptyReport()
  await finishInterruptedRepairs(options, report)
  const folders = findTrashed(workspace, options.name).map(folder => asItWasNamed(folder, workspace))
  const [first] = folders
  if (first === undefined || first.parsed.type === 'unparseable') throw withoutId(options.name)
  report.conversations = 1
  const { donors } = await examineAll(workspace, { decide: options.decide })
  const job = makeSanitizeJob({ workspace, options, donors, report })
  const conversation: JpConversation = { sessionId: displayId(first.parsed.id), place: TRASHED, folders }
  await underLock(job, conversation, async () => {
    assertNotAlive(workspace, conversation, first.parsed)
    await restoreLocked(job, conversation)
  })
  return report
}

async function restoreLocked(job: SanitizeJob, conversation: JpConversation): Promise<void> {
  const diagnosis = diagnose(classifyConversation(conversation))
  const [folder] = conversation.folders
  if (folder === undefined) return
  // An empty copy stays in the trash and does not keep the other copy from being restored.
  if (diagnosis.type === 'trash' && diagnosis.copies.length < conversation.folders.length)
    return await restoreLocked(job, withoutCopies(conversation, diagnosis.copies))
  if (diagnosis.type === 'blocked' || diagnosis.type === 'trash') {
    const text = diagnosis.type === 'blocked' ? diagnosis.text : 'nothing of a conversation is in it'
    job.report.blocked.push(entryFor('blocked', folder, text, { error: text }))
    return
  }
  const plans: FilePlan[] = []
  if (diagnosis.type === 'repair') {
    const plan = await planConversation(job, diagnosis)
    if (plan.type !== 'files') {
      const text = plan.type === 'trash' ? plan.error : plan.text
      return void job.report.left.push(entryFor('left', folder, `${text}. It stays in the trash`, { error: text }))
    }
    job.report.lockedOut.push(...plan.lockedOut)
    job.report.left.push(...plan.left)
    // JP would only trash again what it cannot load.
    if (plan.lockedOut.length + plan.left.length > 0) return
    plans.push(...plan.plans)
  }
  await applyFiles(job, conversation, plans, conversation.folders.map(wayBack))
}

function wayBack(folder: ConversationFolder): ConversationMove {
  const place = readSidecar(folder.path)?.place === ARCHIVED ? ARCHIVED : ACTIVE
  const notes = [TRASH_NOTE, SIDECAR]
    .map(name => join(folder.path, name))
    .filter(path => statIfThere(path) !== undefined)
  const reason = 'brought back from the trash'
  const to = join(placeFolder(folder.root, place), nameOf(folder))
  return { folder, to, leftBehind: notes, damage: 'brought-back', reason, text: reason }
}

/** Gives the folder its original name: in the trash it may have got a number, or it never had an id. */
function asItWasNamed(folder: ConversationFolder, workspace: Workspace): ConversationFolder {
  const name = readSidecar(folder.path)?.name ?? nameByTitle(folder) ?? folder.name
  const parsed = parseFolderName(name)
  if (parsed.type === 'canonical') return { ...folder, parsed }
  if (parsed.type === 'noncanonical') return { ...folder, parsed: { ...parsed, type: 'canonical' } }
  const id = freeId(folder, workspace)
  return id === undefined ? folder : { ...folder, parsed: { type: 'canonical', id, slug: undefined } }
}

function nameOf({ parsed, name }: ConversationFolder): string {
  if (parsed.type === 'unparseable') return name
  return parsed.slug === undefined ? parsed.id : `${parsed.id}-${parsed.slug}`
}

/** JP also numbers the folders that it trashes. Only the title shows whether a number was added. */
function nameByTitle({ name, parsed, path, root }: ConversationFolder): string | undefined {
  const bytes = readUnchanged({ path: join(path, METADATA) }, root.within)
  const title = bytes === undefined ? undefined : asText(asObject(parseJson(bytes))?.['title'])
  if (title === undefined || parsed.type === 'unparseable') return undefined
  const wanted = folderNameOf(parsed.id, title)
  return name.replace(/-\d+$/, '') === wanted ? wanted : undefined
}

function assertNotAlive(
  workspace: Workspace,
  { sessionId }: JpConversation,
  parsed: ConversationFolder['parsed'],
): void {
  const rival = parsed.type === 'unparseable' ? undefined : conflictingId(parsed.id, liveIds(workspace))
  if (rival === undefined) return
  const isSame = displayId(rival) === sessionId
  throw new RethreadError({
    code: 'unsupported',
    text: isSame
      ? `Conversation ${sessionId} exists again: JP would not find both.`
      : `JP would take ${sessionId} for conversation ${displayId(rival)}: one id begins with the other.`,
    hint: `See the one that is there: ${paste('rethread show', displayId(rival))}`,
  })
}

function withoutId(name: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${name} has no id in its name, and no event with a time that one could be made of.`,
    hint: 'See what is in it: rethread trash list',
  })
}

export async function listTrash(place: SanitizeContext): Promise<TrashedEntry[]> {
  const folders = trashFolders(workspaceAt(place))
  const entries = folders.map(({ name, path }) => ({
    name,
    path,
    ...readTrashNote(path),
    isOurs: readSidecar(path) !== undefined,
  }))
  return entries.toSorted((a, b) => ((a.trashedAt ?? '') < (b.trashedAt ?? '') ? 1 : -1))
}

/** Throws if one of the storages cannot be listed. */
function trashFolders(workspace: Workspace): ConversationFolder[] {
  const failures: Failure[] = []
  const folders = workspace.roots.flatMap(root => listPlace(root, TRASHED, failures))
  const [failure] = failures
  if (failure !== undefined) throw new RethreadError(failure)
  return folders
}

/**
 * Returns all copies of one conversation: folders of the same name in different storages, or folders trashed
 * together.
 */
function findTrashed(workspace: Workspace, wanted: string): ConversationFolder[] {
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

/**
 * Adds the copies that have other names: JP renames the folder when the title changes, and a trashed folder
 * may get a number.
 */
function withCompanions(
  found: readonly ConversationFolder[],
  all: readonly ConversationFolder[],
): ConversationFolder[] {
  const marks = new Set(found.flatMap(folder => trashMark(folder) ?? []))
  const together = [...found]
  // One folder in each storage, because a folder in the trash may be a plain copy of another.
  for (const folder of all)
    if (marks.has(trashMark(folder) ?? '') && together.every(({ root }) => root.path !== folder.root.path))
      together.push(folder)
  return all.filter(folder => together.includes(folder))
}

/** The same value for all copies of a conversation that rethread trashed at once. */
function trashMark({ path }: ConversationFolder): string | undefined {
  const sidecar = readSidecar(path)
  const parsed = sidecar && parseFolderName(sidecar.name)
  return parsed === undefined || parsed.type === 'unparseable' ? undefined : `${sidecar?.trashedAt} ${parsed.id}`
}
