// The configuration that `-c NAME` means, and the one that a workspace has anyway: looked for where JP looks.
import { isAbsolute, join, resolve } from 'node:path'
import { exists, statPath } from '../../../disk/read.ts'
import type { Environment } from '../../environment.ts'
import { applicationSupport, joinIn, variable } from '../../environment.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'
import type { Workspace } from '../roots.ts'
import { EXTENSIONS, readConfigFile } from './config-formats.ts'
import { WrongFlag } from './delta.ts'

/** They steer the reading of files, and mean nothing in overrides. */
const OF_THE_LOADER = ['extends', 'inherit', 'config_load_paths']

export interface ConfigPlaces {
  environment: Environment
  workspace: Workspace
}

export interface NamedConfig {
  /** In the order in which they count. */
  layers: Json[]
  notes: string[]
}

/** `loadPaths` is `config_load_paths` of the configuration. */
export function readNamedConfig(name: string, places: ConfigPlaces, loadPaths: unknown): NamedConfig {
  const folders = foldersOf(places, loadPaths)
  const paths = findConfig(name, places, folders)
  if (paths.length === 0)
    throw new WrongFlag(
      `There is no configuration "${name}". Looked for it, with ${EXTENSIONS.join(', ')}, in ${folders.flat().join(', ')}`,
    )
  const notes: string[] = []
  const layers = paths.flatMap(path => {
    const config = readConfigFile(path)
    if (config === undefined) {
      notes.push(`${path} is in a format that is not read here: its settings are not among these overrides.`)
      return []
    }
    if ('extends' in config) notes.push(`${path} extends other files, and these were not read.`)
    return [Object.fromEntries(Object.entries(config).filter(([key]) => !OF_THE_LOADER.includes(key)))]
  })
  return { layers, notes }
}

/** What a conversation of this workspace starts from, as far as it stands in files; later ones count more. Those that cannot be read are noted. */
export function readWorkspaceConfig({ environment, workspace }: ConfigPlaces): NamedConfig {
  const roots = workspace.roots.map(({ path, kind }) => ({ kind, stem: join(path, 'config') }))
  const stems = [
    joinIn(environment, globalFolder(environment), 'config'),
    ...roots.filter(({ kind }) => kind === 'workspace').map(({ stem }) => stem),
    ...(workspace.folder === undefined ? [] : [join(workspace.folder, '.jp')]),
    ...roots.filter(({ kind }) => kind === 'user-local').map(({ stem }) => stem),
  ]
  const notes: string[] = []
  const layers = stems.flatMap((stem): Json[] => {
    const path = firstFile([stem])
    try {
      const config = path === undefined ? undefined : readConfigFile(path)
      return config === undefined ? [] : [config]
    } catch (error) {
      if (!(error instanceof WrongFlag)) throw error
      notes.push(`${error.message}. What it says about names is not known here.`)
      return []
    }
  })
  return { layers, notes }
}

/** A path is itself; for a name, each root can have one. */
function findConfig(name: string, { workspace: { folder } }: ConfigPlaces, folders: readonly string[][]): string[] {
  if (folder !== undefined || isAbsolute(name)) {
    const own = firstFile([resolve(folder ?? '/', name)])
    if (own !== undefined) return [own]
  }
  return folders.flatMap(places => firstFile(places.map(place => join(place, name))) ?? [])
}

/** For each root the folders in it, in the order in which they are looked into. */
function foldersOf({ environment, workspace }: ConfigPlaces, loadPaths: unknown): string[][] {
  const relative = (asArray(asObject(loadPaths)?.['value'] ?? loadPaths) ?? []).flatMap(path => asText(path) ?? [])
  const within = (root: string): string[] => [root, ...relative.map(path => join(root, path))]
  const silos = workspace.roots
    .filter(({ kind }) => kind === 'user-local')
    .map(({ path }) => within(join(path, 'config')))
  const { folder } = workspace
  const own = folder === undefined ? [] : [relative.map(path => join(folder, path))]
  return [within(joinIn(environment, globalFolder(environment), 'config')), ...own, ...silos]
}

function globalFolder(environment: Environment): string {
  return variable(environment, 'JP_GLOBAL_CONFIG_DIR') ?? joinIn(environment, applicationSupport(environment), 'jp')
}

function firstFile(stems: readonly string[]): string | undefined {
  return stems.flatMap(stem => ['', ...EXTENSIONS].map(ending => stem + ending)).find(isFile)
}

function isFile(path: string): boolean {
  return exists(path) && statPath(path).isFile()
}
