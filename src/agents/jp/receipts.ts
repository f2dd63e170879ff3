// What JP adds to an undo: the lock of the conversation that a receipt names, a check for a second
// conversation with the same id, and the command that repairs the conversation again.
import { basename, dirname, join, sep } from 'node:path'
import { statIfThere } from '../../disk/files/handles.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'
import { paste, quote, quoteWord } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import type { HeldLock, HoldOptions, UndoneMove } from '../agent.ts'
import type { Environment } from '../environment.ts'
import type { ConversationFolder } from './conversations.ts'
import { folderAt, folderInStorage, listConversations, placeFolder } from './conversations.ts'
import { displayId, parseDisplayId } from './ids.ts'
import { heldText, holdLock, lockPath, testLock } from './lock.ts'
import { ACTIVE, ARCHIVED, EVENTS, OLD_MESSAGES, TRASHED, WORKSPACE_FOLDER } from './names.ts'
import type { Root, Workspace } from './roots.ts'
import { openWorkspace, workspaceOfUserLocal } from './roots.ts'

/**
 * A receipt names events.json, messages.json, or the folder if it has neither. The conversation may no longer
 * exist.
 */
export function folderOfReceipt({ filePath }: Pick<SessionRef, 'filePath'>): ConversationFolder {
  const isFile = [EVENTS, OLD_MESSAGES].includes(basename(filePath))
  return folderAt(isFile ? dirname(filePath) : filePath, ACTIVE)
}

/** The folder that the user passes to a command for this root. */
export function workspaceArgument(root: string): string {
  return basename(root) === WORKSPACE_FOLDER ? dirname(root) : root
}

export function trashRestoreLine(root: string, name: string): string {
  const dir = quote(workspaceArgument(root))
  // A name that starts with a dash would be read as an option.
  return name.startsWith('-')
    ? `rethread trash restore --dir ${dir} -- ${quoteWord(name)}`
    : `rethread trash restore ${quoteWord(name)} --dir ${dir}`
}

/**
 * The command that repairs the conversation again after an undo.
 * `restored` are the paths that the undo restored.
 */
export function repairAgain(session: Pick<SessionRef, 'filePath'>, restored: readonly string[]): string {
  const { root } = folderOfReceipt(session)
  const trash = placeFolder(root, TRASHED) + sep
  const [name] = restored
    .filter(path => path.startsWith(trash))
    .map(path => path.slice(trash.length).split(sep)[0] ?? '')
  return name !== undefined && statIfThere(join(trash, name)) !== undefined
    ? trashRestoreLine(root.path, name)
    : `rethread sanitize ${quote(workspaceArgument(root.path))}`
}

type NamedSession = Pick<SessionRef, 'sessionId' | 'filePath'>

/** Takes JP's lock for the conversation of a receipt. Returns undefined if there is nothing to lock. */
export function hold(
  environment: Environment,
  session: NamedSession,
  { force = false }: HoldOptions = {},
): HeldLock | undefined {
  const id = idOf(session)
  const { root } = folderOfReceipt(session)
  // No JP uses a storage that is gone, and a lock would create its folder again.
  if (id === undefined || statIfThere(root.path, 'stat')?.isDirectory() !== true) return undefined
  return take(workspaceOfRoot(root, environment), id, force)
}

function take(workspace: Workspace, id: string, force: boolean): HeldLock | undefined {
  try {
    return holdLock(workspace, id)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    const state = testLock(workspace, id)
    if (!hasErrorCode(error, 'locked') && state.type !== 'held') {
      if (force && hasErrorCode(error, 'unsupported')) return undefined
      throw error
    }
    const pid = state.type === 'held' ? state.pid : undefined
    const see = pid === undefined ? `fuser -v ${quote(lockPath(workspace, id) ?? '')}` : `ps -fp ${pid}`
    throw new RethreadError({
      code: 'locked',
      text: `Conversation ${displayId(id)} is in use: ${heldText(state)}.`,
      hint: `Wait until it is done. See what it is: ${see}`,
      path: error.path ?? '',
      cause: error,
    })
  }
}

function idOf(session: NamedSession): string | undefined {
  const shown = parseDisplayId(session.sessionId)
  if (shown !== undefined) return shown
  const { parsed } = folderOfReceipt(session)
  return parsed.type === 'unparseable' ? undefined : parsed.id
}

/** All roots of the workspace. A root without a known workspace stands alone. */
function workspaceOfRoot(root: Root, environment: Environment): Workspace {
  const found =
    root.kind === 'workspace'
      ? openWorkspace(dirname(root.path), environment)
      : workspaceOfUserLocal(root.path, environment)
  const isIts = found?.roots.some(({ path }) => path === root.path) === true
  return found !== undefined && isIts ? found : { id: undefined, folder: undefined, roots: [root] }
}

/**
 * Throws if an undo would bring back a conversation whose id is used again, because JP would not find both.
 * Only folders of conversations are checked.
 */
export function assertCanReturn(environment: Environment, moves: readonly UndoneMove[]): void {
  for (const { path, madeAt } of moves) {
    const folder = folderInStorage(path)
    if (folder === undefined || folder.place === TRASHED || statIfThere(path) !== undefined) continue
    const rivals = otherFoldersWithId(folder, environment)
    const rival = rivals.find(one => moves.every(({ to }) => to !== one.path) && isYounger(one.path, madeAt))
    if (rival !== undefined) throw existsAgain(folder, rival)
  }
}

const CLOCK_STEP_MS = 20

/** A folder that was there before the repair is as it was. JP never found both. */
function isYounger(path: string, madeAt: number): boolean {
  const born = Number(statIfThere(path)?.birthtimeMs ?? 0n)
  // Not every file system knows when a folder was made, and its clock may be some milliseconds behind.
  return born === 0 || born > madeAt - CLOCK_STEP_MS
}

/**
 * Folders with the same id and another name. The same name in another storage is a copy of the same
 * conversation.
 */
function otherFoldersWithId(
  { parsed, name, root }: ConversationFolder,
  environment: Environment,
): ConversationFolder[] {
  if (parsed.type === 'unparseable') return []
  const { conversations } = listConversations(workspaceOfRoot(root, environment), [ACTIVE, ARCHIVED])
  return conversations
    .flatMap(({ folders }) => folders)
    .filter(other => other.parsed.type !== 'unparseable' && other.parsed.id === parsed.id && other.name !== name)
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
