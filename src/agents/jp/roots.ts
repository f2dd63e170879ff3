// The storage of JP: the `.jp` folder of a workspace, and a folder for each workspace in the user's data
// ("user-local storage").
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { statIfThere } from '../../disk/files/handles.ts'
import { entryAt } from '../../disk/files/plain-file.ts'
import { exists, listFolder, readSmallFile, realPath, statPath } from '../../disk/files/read.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { Environment } from '../environment.ts'
import { applicationSupport, inHome, joinIn, variable } from '../environment.ts'
import { CONVERSATIONS, ID_FILE, STORAGE_LINK, WORKSPACE_FOLDER } from './names.ts'

export interface Root {
  kind: 'workspace' | 'user-local'
  /** The `.jp` of a workspace, or its folder in the user's data. */
  path: string
  /**
   * Reading and writing never leave this folder: the root itself, or
   * where its `conversations` link to, as JP goes.
   */
  within: string
}

/** JP follows a link in place of a root or of its `conversations`. */
export function makeRoot(kind: Root['kind'], path: string): Root {
  const conversations = join(path, CONVERSATIONS)
  const isLink = statIfThere(conversations)?.isSymbolicLink() === true
  const isFollowed = isLink && statIfThere(conversations, 'stat')?.isDirectory() === true
  return { kind, path, within: isFollowed ? realPath(conversations) : path }
}

/** Such a folder may hold other things, which are none of JP's. */
export function isLinkedOutside({ path, within }: Root): boolean {
  return within !== path
}

export interface Workspace {
  /** Five letters and digits; undefined if the workspace has no id yet. */
  id: string | undefined
  /** The parent of `.jp`; undefined if it is not known. It may no longer exist. */
  folder: string | undefined
  /** User-local roots come first. There can be several; JP merges them when it next opens the workspace. */
  roots: Root[]
}

/** The parent of the user-local folders, in JP's data folder. */
export const WORKSPACES = 'workspace'
const MAX_ID_BYTES = 4096
const WORKSPACE_ID = /^[0-9a-z]{5}$/

/** The data folder of JP. The path on Windows is not verified. */
function userDataFolder(environment: Environment): string {
  const own = variable(environment, 'JP_USER_DATA_DIR')
  if (own !== undefined) return own
  const xdg = variable(environment, 'XDG_DATA_HOME')
  if (xdg !== undefined && isAbsolute(xdg)) return joinIn(environment, xdg, 'jp')
  switch (environment.platform) {
    case 'linux':
      return inHome(environment, '.local', 'share', 'jp')
    case 'darwin':
      return joinIn(environment, applicationSupport(environment), 'jp')
    case 'win32':
      return joinIn(environment, applicationSupport(environment), 'jp', 'data')
  }
}

/** The folder that holds a folder for each workspace. */
export function userLocalFolder(environment: Environment): string {
  return joinIn(environment, userDataFolder(environment), WORKSPACES)
}

/** The nearest folder at or above `from` that contains `.jp`. */
export function findWorkspaceFolder(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (isFolder(join(folder, WORKSPACE_FOLDER))) return folder
    if (folder === dirname(folder)) return undefined
  }
}

/** The possible paths of this name in the working folder and above it. Does not read the disk. */
export function foldersAbove(environment: Environment, name: string): string[] {
  const found: string[] = []
  for (let folder = environment.folder; folder !== undefined; ) {
    found.push(join(folder, name))
    const above = dirname(folder)
    folder = above === folder || folder === environment.top ? undefined : above
  }
  return found
}

/** The workspace that JP would open in this folder; undefined if there is none. */
export function openWorkspace(from: string, environment: Environment): Workspace | undefined {
  const folder = findWorkspaceFolder(from)
  if (folder === undefined) return undefined
  const own = makeRoot('workspace', join(folder, WORKSPACE_FOLDER))
  const id = readWorkspaceId(own.path)
  const local = listUserLocal(userLocalFolder(environment)).filter(storage => storage.id === id)
  return { id, folder, roots: [...local.map(storage => storage.root), own] }
}

export interface UserLocal {
  id: string
  root: Root
}

/** Lists the folders, and the links to folders, whose names end in the id of a workspace. */
export function listUserLocal(folder: string): UserLocal[] {
  return listFolder(folder).flatMap(entry => {
    const id = /(?:^|-)([0-9a-z]{5})$/.exec(entry.name)?.[1]
    const isUsed = entry.isFolder || (entry.isLink && statIfThere(entry.path, 'stat')?.isDirectory() === true)
    return id === undefined || !isUsed ? [] : [{ id, root: makeRoot('user-local', entry.path) }]
  })
}

/** The workspace, from its user-local storage alone. */
export function workspaceOfLocals(locals: readonly UserLocal[]): Workspace {
  const id = locals[0]?.id
  const folders = locals.flatMap(({ root }) => linkedWorkspace(root.path) ?? [])
  const own = folders.find(folder => isWorkspace(join(folder, WORKSPACE_FOLDER), id))
  const roots = locals.map(({ root }) => root)
  if (own === undefined) return { id, folder: folders[0], roots }
  return { id, folder: own, roots: [...roots, makeRoot('workspace', join(own, WORKSPACE_FOLDER))] }
}

/** The workspace of a path at or in its user-local storage. */
export function workspaceOfUserLocal(path: string, environment: Environment): Workspace | undefined {
  const all = listUserLocal(userLocalFolder(environment))
  const own = all.find(({ root }) => path === root.path || path.startsWith(root.path + sep))
  return own && workspaceOfLocals(all.filter(({ id }) => id === own.id))
}

/** The user-local storage comes first, because the home folder above it may be a workspace too. */
export function findWorkspace(folder: string, environment: Environment): Workspace | undefined {
  return workspaceOfUserLocal(folder, environment) ?? openWorkspace(folder, environment)
}

/** The target of the storage link. It is only used if its own id confirms the workspace. */
export function linkedWorkspace(storage: string): string | undefined {
  const entry = entryAt(join(storage, STORAGE_LINK))
  if (entry.type !== 'link') return undefined
  const target = resolve(storage, entry.target)
  return basename(target) === WORKSPACE_FOLDER ? dirname(target) : undefined
}

/** A forged link must not make rethread read other folders. */
function isWorkspace(path: string, id: string | undefined): boolean {
  return isFolder(path) && id !== undefined && readWorkspaceId(path) === id
}

/** The last line of `.id`, as JP reads it; undefined if JP makes up another id. Links are followed. */
export function readWorkspaceId(jpFolder: string): string | undefined {
  try {
    const path = realPath(join(jpFolder, ID_FILE))
    const lines = readSmallFile(path, dirname(path), MAX_ID_BYTES).toString('utf8').split(/\r?\n/)
    const last = lines.at(-1) === '' ? lines.at(-2) : lines.at(-1)
    return last !== undefined && WORKSPACE_ID.test(last) ? last : undefined
  } catch (error) {
    if (hasErrorCode(error, 'not-found') || hasErrorCode(error, 'not-a-session')) return undefined
    throw error
  }
}

function isFolder(path: string): boolean {
  return exists(path) && statPath(path).isDirectory()
}
