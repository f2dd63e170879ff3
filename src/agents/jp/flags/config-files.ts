// The configuration that `-c NAME` means: looked for where JP looks, and read where its format can be read.
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { exists, readSmallFile, realPath, statPath } from '../../../disk/read.ts'
import type { Environment } from '../../environment.ts'
import { applicationSupport, joinIn, variable } from '../../environment.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'
import type { Workspace } from '../roots.ts'
import { WrongFlag } from './delta.ts'

const EXTENSIONS = ['.toml', '.json', '.json5', '.yaml', '.yml']
const MAX_CONFIG_BYTES = 1024 * 1024
/** They steer the reading of files, and mean nothing in overrides. */
const OF_THE_LOADER = ['extends', 'inherit', 'config_load_paths']

export interface ConfigPlaces {
  environment: Environment
  workspace: Workspace
  /** `config_load_paths` of the conversation's config. */
  loadPaths: unknown
}

export interface NamedConfig {
  /** In the order in which they count. */
  layers: Json[]
  notes: string[]
}

export function readNamedConfig(name: string, places: ConfigPlaces): NamedConfig {
  const paths = findConfig(name, places)
  if (paths.length === 0)
    throw new WrongFlag(
      `There is no configuration "${name}". Looked for it, with ${EXTENSIONS.join(', ')}, in ${foldersOf(places).flat().join(', ')}`,
    )
  const notes: string[] = []
  const layers = paths.flatMap(path => {
    const config = readConfig(path)
    if (config === undefined) {
      notes.push(
        `${path} is not in JSON, the one format that is read here: its settings are not among these overrides.`,
      )
      return []
    }
    if ('extends' in config) notes.push(`${path} extends other files, and these were not read.`)
    return [Object.fromEntries(Object.entries(config).filter(([key]) => !OF_THE_LOADER.includes(key)))]
  })
  return { layers, notes }
}

/** A path is itself; for a name, each root can have one. */
function findConfig(name: string, places: ConfigPlaces): string[] {
  const { folder } = places.workspace
  if (folder !== undefined || isAbsolute(name)) {
    const own = firstFile([resolve(folder ?? '/', name)])
    if (own !== undefined) return [own]
  }
  return foldersOf(places).flatMap(folders => firstFile(folders.map(place => join(place, name))) ?? [])
}

/** For each root the folders in it, in the order in which they are looked into. */
function foldersOf({ environment, workspace, loadPaths }: ConfigPlaces): string[][] {
  const relative = (asArray(asObject(loadPaths)?.['value'] ?? loadPaths) ?? []).flatMap(path => asText(path) ?? [])
  const within = (root: string): string[] => [root, ...relative.map(path => join(root, path))]
  const silos = workspace.roots
    .filter(({ kind }) => kind === 'user-local')
    .map(({ path }) => within(join(path, 'config')))
  const own = workspace.folder === undefined ? [] : [relative.map(path => join(workspace.folder ?? '', path))]
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

/** Undefined where its format cannot be read. */
function readConfig(path: string): Json | undefined {
  // A person may keep their configuration elsewhere, behind a link; they named it themselves.
  const real = realPath(path)
  const text = readSmallFile(real, dirname(real), MAX_CONFIG_BYTES).toString('utf8')
  const isJson = path.endsWith('.json')
  if (!isJson && !path.endsWith('.json5')) return undefined
  try {
    const config = asObject(JSON.parse(text))
    if (config === undefined) throw new WrongFlag(`${path} is not an object`)
    return config
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    if (!isJson) return undefined
    throw new WrongFlag(`${path} is not JSON (${error.message})`)
  }
}
