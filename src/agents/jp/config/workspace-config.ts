// The configuration that applies in a workspace: from files and from
// variables. Also the files that `-c NAME` selects.
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Environment } from '../../environment.ts'
import { applicationSupport, inHome, joinIn, variable } from '../../environment.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import type { Workspace } from '../roots.ts'
import { namesAt, settingNames } from '../schema/settings.ts'
import { ConfigProblem, typedValue } from './fields.ts'
import type { ConfigTree } from './files.ts'
import { EXTENSIONS, findFile, isFile, problemText, readConfigTree } from './files.ts'
import { mergeConfig, settledConfig } from './merge.ts'
import { mapModels, normalConfig, resolveModelId } from './normal.ts'

interface ConfigPlaces {
  environment: Environment
  workspace: Workspace
}

const CONFIG = 'config.toml'
const LOCAL_CONFIG = '.jp.toml'

/** The possible files, with the first extension. Each inner list is one layer; later layers win. */
function layerFiles(places: ConfigPlaces): string[][] {
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

/**
 * The folders from the workspace down to the working folder, if that is inside. JP does not read folders
 * above the workspace.
 */
function foldersDownTo({ environment, workspace: { folder } }: ConfigPlaces): string[] {
  if (folder === undefined) return []
  const inside = relative(folder, environment.folder ?? folder)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return [folder]
  const folders: string[] = []
  for (let here = resolve(folder, inside); here !== folder; here = dirname(here)) folders.unshift(here)
  return [folder, ...folders]
}

/** For each root, the folders to search in order. `loadPaths` is the setting `config_load_paths`. */
function searchFolders({ environment, workspace }: ConfigPlaces, loadPaths: readonly unknown[]): string[][] {
  const names = loadPaths.flatMap(path => asText(path) ?? [])
  const roots = [
    joinIn(environment, globalFolder(environment), 'config'),
    ...(workspace.folder === undefined ? [] : [workspace.folder]),
    ...workspace.roots.filter(({ kind }) => kind === 'user-local').map(({ path }) => join(path, 'config')),
  ]
  return roots.map(root => names.map(name => join(root, name)))
}

/** The folder of the global configuration. The path on Windows is not verified. */
function globalFolder(environment: Environment): string {
  const own = variable(environment, 'JP_GLOBAL_CONFIG_DIR')
  if (own !== undefined) return own.startsWith('~') ? inHome(environment, own.slice(1)) : own
  const folder = joinIn(environment, applicationSupport(environment), 'jp')
  return environment.platform === 'win32' ? joinIn(environment, folder, 'config') : folder
}

export interface WorkspaceConfig {
  /** Undefined if no file or variable sets anything. */
  config: Json | undefined
  /** The settings and files that were not used, with reasons. */
  notes: string[]
}

/**
 * The configuration of JP before it reads the conversation. Merge wrappers are removed; model aliases are not
 * resolved.
 */
export function readWorkspaceConfig(places: ConfigPlaces): WorkspaceConfig {
  const merged: Json = {}
  const notes: string[] = []
  for (const files of layerFiles(places)) {
    // `inherit: false` ignores all later layers.
    if (merged['inherit'] === false) break
    const layer = readLayer(files)
    mergeConfig(merged, layer.config)
    notes.push(...layer.notes)
  }
  const variables = readVariables(places.environment)
  mergeConfig(merged, variables.config)
  const { inherit: _, ...config } = settledConfig(merged)
  return { config: isEmpty(config) ? undefined : config, notes: [...new Set([...notes, ...variables.notes])] }
}

function readLayer(files: readonly string[]): ConfigTree {
  const layer: ConfigTree = { config: {}, notes: [] }
  for (const file of files) {
    try {
      const path = findFile(file)
      if (path === undefined) continue
      const tree = readConfigTree(path)
      mergeConfig(layer.config, tree.config)
      layer.notes.push(...tree.notes)
    } catch (error) {
      layer.notes.push(problemText(error))
    }
  }
  return layer
}

const ALIASES = ['providers', 'llm', 'aliases']

function aliasesIn(config: Json | undefined): Json {
  return ALIASES.reduce<Json>((here, name) => asObject(here[name]) ?? {}, config ?? {})
}

/**
 * Returns a copy with every model as provider and name. JP stores no aliases, because it stops at one that it
 * cannot resolve later. Models that cannot be resolved are removed and reported.
 */
function withModelsInFull(config: Json): { config: Json; unknown: string[] } {
  const unknown: string[] = []
  const aliases = aliasesIn(config)
  const inFull = mapModels(config, (id, path) => {
    const model = resolveModelId(id, aliases)
    if (model === undefined) unknown.push(path.join('.'))
    return model
  })
  return { config: inFull, unknown }
}

const PREFIX = 'JP_CFG_'

export function readVariables({ variables }: Environment): ConfigTree {
  const tree: ConfigTree = { config: {}, notes: [] }
  for (const name of Object.keys(variables).toSorted()) {
    const value = variables[name]
    if (!name.startsWith(PREFIX) || value === undefined) continue
    try {
      mergeConfig(tree.config, normalConfig(settingOf(name, value)))
    } catch (error) {
      tree.notes.push(`The variable ${name} is not taken: ${problemText(error)}`)
    }
  }
  return tree
}

function settingOf(name: string, text: string): Json {
  const path = pathOf(name.slice(PREFIX.length).toLowerCase())
  if (path === undefined) throw new ConfigProblem('it does not name a known setting')
  const { isJson, rest } = marksOf(text)
  const value = isJson ? parseJson(rest) : typedValue(path, rest, undefined)
  const [last = '', ...holders] = path.toReversed()
  return holders.reduce<Json>((inner, key) => ({ [key]: inner }), { [last]: value })
}

/** An underscore can separate two names or be part of one. Only the list of settings decides. */
function pathOf(name: string): string[] | undefined {
  const field = settingNames().find(candidate => candidate.replaceAll('.', '_') === name)
  if (field !== undefined) return field.split('.')
  const [, tool, setting] = /^conversation_tools_([^_]+)_(.+)$/.exec(name) ?? []
  if (tool !== undefined && setting !== undefined && namesAt(['conversation', 'tools', tool]).includes(setting))
    return ['conversation', 'tools', tool, setting]
  const [, alias] = /^providers_llm_aliases_([^_]+)$/.exec(name) ?? []
  if (alias !== undefined) return ['providers', 'llm', 'aliases', alias]
  const [, template] = /^template_values_(.+)$/.exec(name) ?? []
  if (template !== undefined) return ['template', 'values', ...template.split('_')]
  const [, parameter] = /^assistant_model_parameters_(.+)$/.exec(name) ?? []
  return parameter === undefined ? undefined : ['assistant', 'model', 'parameters', parameter]
}

/**
 * `:` marks JSON and `+` marks a value to append. Lists are always appended to. A backslash escapes the mark.
 */
function marksOf(text: string): { isJson: boolean; rest: string } {
  const [marks = ''] = /^(:\+?|\+:?)/.exec(text) ?? []
  const rest = text.slice(marks.length)
  return { isJson: marks.includes(':'), rest: /^\\[:+]/.test(rest) ? rest.slice(1) : rest }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new ConfigProblem(`${text} is not JSON (${error.message})`)
  }
}

/** Whether no setting has a value. */
function isEmpty(config: Json): boolean {
  return Object.values(config).every(value => {
    const inner = asObject(value)
    return inner !== undefined && isEmpty(inner)
  })
}

const ORDER = [
  ...['config_load_paths', 'assistant', 'conversation', 'style', 'interrupt', 'editor', 'template', 'providers'],
  ...['plugins', 'user'],
]

/**
 * The workspace configuration as a base config, in the order in which JP writes it. Required settings may be
 * missing.
 */
export function workspaceBaseConfig(places: ConfigPlaces): WorkspaceConfig {
  const read = readWorkspaceConfig(places)
  if (read.config === undefined) return read
  const { config, unknown } = withModelsInFull(read.config)
  const notes = unknown.map(path => `${path} is neither provider/name nor an alias`)
  return { config: ordered(config), notes: [...read.notes, ...notes] }
}

/** JP ignores other sections. They are removed, because a file can extend any other file. */
function ordered(config: Json): Json {
  const known = Object.entries(config).filter(([name]) => ORDER.includes(name))
  return Object.fromEntries(known.toSorted(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)))
}

interface NamedConfig {
  /** Later layers win. */
  layers: Json[]
  notes: string[]
}

/**
 * Reads the files that `-c NAME` selects. `loadPaths` is the setting `config_load_paths`. Throws if there is
 * no such file or one is broken.
 */
export function readNamedConfig(name: string, places: ConfigPlaces, loadPaths: readonly unknown[]): NamedConfig {
  const folders = searchFolders(places, loadPaths)
  const paths = findConfig(name, places, folders)
  if (paths.length === 0) {
    const where = folders.flat().join(', ')
    throw new ConfigProblem(
      `There is no configuration "${name}". Searched for it, with ${EXTENSIONS.join(', ')}, ${where === '' ? 'and no config_load_paths are configured' : `in ${where}`}`,
    )
  }
  const trees = paths.map(readConfigTree)
  // `inherit` only controls the reading of files and has no meaning in overrides.
  const layers = trees.map(({ config: { inherit: _, ...config } }) => config)
  return { layers, notes: trees.flatMap(({ notes }) => notes) }
}

/** A path selects that file. A name selects the first match in each root. */
function findConfig(name: string, { workspace }: ConfigPlaces, folders: readonly string[][]): string[] {
  const own = workspace.folder === undefined && !isAbsolute(name) ? undefined : resolve(workspace.folder ?? '/', name)
  if (own !== undefined && isFile(own)) return [own]
  const found = isAbsolute(name)
    ? []
    : folders.flatMap(places => places.map(place => findFile(join(place, name))).find(path => path !== undefined) ?? [])
  if (found.length > 0) return found
  // The folder of the original command is not known, so the workspace is used instead.
  const near = own === undefined ? undefined : findFile(own)
  return near === undefined ? [] : [near]
}
