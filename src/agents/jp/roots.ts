// Where JP keeps things: a workspace's own `.jp`, and for each workspace a folder of its own in the user's data ("user-local storage").
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { entryAt } from '../../disk/files/plain-file.ts'
import { exists, listFolder, readSmallFile, statPath } from '../../disk/files/read.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { Environment } from '../environment.ts'
import { applicationSupport, inHome, joinIn, variable } from '../environment.ts'
import { ID_FILE, STORAGE_LINK, WORKSPACE_FOLDER } from './names.ts'

export interface Root {
  kind: 'workspace' | 'user-local'
  /** The `.jp` of a workspace, or its folder in the user's data. Reading never leaves it. */
  path: string
}

export interface Workspace {
  /** Five letters and digits; undefined where JP would make up a new one. */
  id: string | undefined
  /** The folder that `.jp` is in; undefined where nothing tells. It need not be there any more. */
  folder: string | undefined
  /** User-local ones first. There can be several of those: JP merges them when it next opens the workspace. */
  roots: Root[]
}

/** The folder in the user's data with a folder for each workspace. */
export const WORKSPACES = 'workspace'
const MAX_ID_BYTES = 4096

/** As JP looks for it. On Windows it is not known from a run. */
export function userDataFolder(environment: Environment): string {
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

/** The folder with a folder for each workspace. */
export function userLocalFolder(environment: Environment): string {
  return joinIn(environment, userDataFolder(environment), WORKSPACES)
}

/** The nearest folder at or above `from` that has a `.jp` folder in it. */
export function findWorkspaceFolder(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (isFolder(join(folder, WORKSPACE_FOLDER))) return folder
    if (folder === dirname(folder)) return undefined
  }
}

/** Where a folder of this name would be, at and above the folder that rethread was started in. Looks at nothing. */
export function foldersAbove(environment: Environment, name: string): string[] {
  const found: string[] = []
  for (let folder = environment.folder; folder !== undefined; ) {
    found.push(join(folder, name))
    const above = dirname(folder)
    folder = above === folder || folder === environment.top ? undefined : above
  }
  return found
}

/** The workspace that JP would open in this folder; undefined where there is none. */
export function openWorkspace(from: string, environment: Environment): Workspace | undefined {
  const folder = findWorkspaceFolder(from)
  if (folder === undefined) return undefined
  const own: Root = { kind: 'workspace', path: join(folder, WORKSPACE_FOLDER) }
  const id = readWorkspaceId(own.path)
  const local = listUserLocal(userLocalFolder(environment)).filter(silo => silo.id === id)
  return { id, folder, roots: [...local.map(silo => silo.root), own] }
}

export interface UserLocal {
  id: string
  root: Root
}

/** One for each folder whose name ends in the id of a workspace. Links are left alone. */
export function listUserLocal(folder: string): UserLocal[] {
  return listFolder(folder).flatMap(({ name, path, isFolder }) => {
    const id = /(?:^|-)([0-9a-z]{5})$/.exec(name)?.[1]
    return id === undefined || !isFolder ? [] : [{ id, root: { kind: 'user-local' as const, path } }]
  })
}

/** What is known of a workspace by its user-local storage alone. */
export function workspaceOf(locals: readonly UserLocal[]): Workspace {
  const id = locals[0]?.id
  const folders = locals.flatMap(({ root }) => linkedWorkspace(root.path) ?? [])
  const own = folders.find(folder => isWorkspace(join(folder, WORKSPACE_FOLDER), id))
  const roots = locals.map(({ root }) => root)
  if (own === undefined) return { id, folder: folders[0], roots }
  return { id, folder: own, roots: [...roots, { kind: 'workspace', path: join(own, WORKSPACE_FOLDER) }] }
}

/** The workspace whose user-local storage this is, or is in. */
export function workspaceOfUserLocal(path: string, environment: Environment): Workspace | undefined {
  const all = listUserLocal(userLocalFolder(environment))
  const own = all.find(({ root }) => path === root.path || path.startsWith(root.path + sep))
  return own && workspaceOf(all.filter(({ id }) => id === own.id))
}

/** The folder that the link leads to by its words. Followed only if what is there says itself that it is this workspace. */
function linkedWorkspace(silo: string): string | undefined {
  const looked = entryAt(join(silo, STORAGE_LINK))
  if (looked.type !== 'link') return undefined
  const target = resolve(silo, looked.target)
  return basename(target) === WORKSPACE_FOLDER ? dirname(target) : undefined
}

/** A link put there by somebody else must not make us show other folders. */
function isWorkspace(path: string, id: string | undefined): boolean {
  return isFolder(path) && id !== undefined && readWorkspaceId(path) === id
}

/** The second line of `.id`, below a word of warning. */
export function readWorkspaceId(jpFolder: string): string | undefined {
  try {
    const [, line = ''] = readSmallFile(join(jpFolder, ID_FILE), jpFolder, MAX_ID_BYTES).toString('utf8').split('\n')
    return /^[0-9a-z]{5}$/.test(line.trim()) ? line.trim() : undefined
  } catch (error) {
    if (hasErrorCode(error, 'not-found') || hasErrorCode(error, 'not-a-session')) return undefined
    throw error
  }
}

function isFolder(path: string): boolean {
  return exists(path) && statPath(path).isDirectory()
}
