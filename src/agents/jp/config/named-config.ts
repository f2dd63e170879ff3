// The configuration that `-c NAME` means: a file, or one in each of the roots that has it.
import { isAbsolute, join, resolve } from 'node:path'
import type { Json } from '../../stores/values.ts'
import { readConfigTree } from './extends.ts'
import { findFile, isFile } from './find-file.ts'
import { EXTENSIONS } from './formats.ts'
import { type ConfigPlaces, searchFolders } from './places.ts'
import { ConfigProblem } from './problem.ts'

export interface NamedConfig {
  /** In the order in which they count. */
  layers: Json[]
  notes: string[]
}

/** `loadPaths` is `config_load_paths`. Throws where there is none of this name, or one of them is broken. */
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
  // What steers the reading of files means nothing in overrides.
  const layers = trees.map(({ config: { inherit: _, ...config } }) => config)
  return { layers, notes: trees.flatMap(({ notes }) => notes) }
}

/** A path is itself. A name is looked for in all roots; in each, the first folder that has it counts. */
function findConfig(name: string, { workspace }: ConfigPlaces, folders: readonly string[][]): string[] {
  const own = workspace.folder === undefined && !isAbsolute(name) ? undefined : resolve(workspace.folder ?? '/', name)
  if (own !== undefined && isFile(own)) return [own]
  const found = isAbsolute(name)
    ? []
    : folders.flatMap(places => places.map(place => findFile(join(place, name))).find(path => path !== undefined) ?? [])
  if (found.length > 0) return found
  // The folder that it was typed in is not known, so this is as near as it gets.
  const near = own === undefined ? undefined : findFile(own)
  return near === undefined ? [] : [near]
}
