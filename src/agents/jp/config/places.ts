// Where JP looks for configuration: what it always reads, and where it looks for what `-c NAME` means.
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Environment } from '../../environment.ts'
import { applicationSupport, inHome, joinIn, variable } from '../../environment.ts'
import { asText } from '../../stores/values.ts'
import type { Workspace } from '../roots.ts'

export interface ConfigPlaces {
  environment: Environment
  workspace: Workspace
}

const CONFIG = 'config.toml'
const LOCAL_CONFIG = '.jp.toml'

/** Files that may be there, under their first ending: each inner list is one layer, and later ones count more. */
export function layerFiles(places: ConfigPlaces): string[][] {
  const { environment, workspace } = places
  const inRoots = (kind: 'workspace' | 'user-local'): string[][] =>
    workspace.roots.filter(root => root.kind === kind).map(({ path }) => [join(path, CONFIG)])
  return [
    [joinIn(environment, globalFolder(environment), CONFIG)],
    ...inRoots('workspace'),
    foldersDownTo(places).map(folder => join(folder, LOCAL_CONFIG)),
    ...inRoots('user-local'),
  ]
}

/** From the folder of the workspace to the one that rethread was started in, where that is in it: JP does not look above the workspace. */
function foldersDownTo({ environment, workspace: { folder } }: ConfigPlaces): string[] {
  if (folder === undefined) return []
  const inside = relative(folder, environment.folder ?? folder)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return [folder]
  const folders: string[] = []
  for (let here = resolve(folder, inside); here !== folder; here = dirname(here)) folders.unshift(here)
  return [folder, ...folders]
}

/** For each root the folders in it, in the order in which they are looked into. `loadPaths` is `config_load_paths`. */
export function searchFolders({ environment, workspace }: ConfigPlaces, loadPaths: readonly unknown[]): string[][] {
  const names = loadPaths.flatMap(path => asText(path) ?? [])
  const roots = [
    joinIn(environment, globalFolder(environment), 'config'),
    ...(workspace.folder === undefined ? [] : [workspace.folder]),
    ...workspace.roots.filter(({ kind }) => kind === 'user-local').map(({ path }) => join(path, 'config')),
  ]
  return roots.map(root => names.map(name => join(root, name)))
}

/** Where the configuration for all workspaces is. On Windows it is not known from a run. */
export function globalFolder(environment: Environment): string {
  const own = variable(environment, 'JP_GLOBAL_CONFIG_DIR')
  if (own !== undefined) return own.startsWith('~') ? inHome(environment, own.slice(1)) : own
  const folder = joinIn(environment, applicationSupport(environment), 'jp')
  return environment.platform === 'win32' ? joinIn(environment, folder, 'config') : folder
}
