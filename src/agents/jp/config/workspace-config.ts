// What a new conversation of a workspace would start from: the files that JP always reads, put together, and the variables on top.
import type { Json } from '../../stores/values.ts'
import { asObject } from '../../stores/values.ts'
import { type ConfigTree, readConfigTree } from './extends.ts'
import { findFile } from './find-file.ts'
import { mergeConfig } from './merge.ts'
import { resolveModelId } from './model-id.ts'
import { mapModels } from './normal.ts'
import { type ConfigPlaces, layerFiles } from './places.ts'
import { problemText } from './problem.ts'
import { settledConfig } from './settle.ts'
import { isEmpty, readVariables } from './variables.ts'

export interface WorkspaceConfig {
  /** Undefined where nothing is configured: there is no file at all, or none that says anything. */
  config: Json | undefined
  /** What could not be taken, and why. */
  notes: string[]
}

/** As JP has it before it looks at the conversation: no wrapper is left in it, but short names of models are. */
export function readWorkspaceConfig(places: ConfigPlaces): WorkspaceConfig {
  const merged: Json = {}
  const notes: string[] = []
  for (const files of layerFiles(places)) {
    // Whoever says so keeps those that come later from changing anything.
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

export function aliasesIn(config: Json | undefined): Json {
  return ALIASES.reduce<Json>((here, name) => asObject(here[name]) ?? {}, config ?? {})
}

/** A copy with every model in full, which is all that JP keeps: a short name that it cannot resolve later ends it. Those that lead nowhere are left out, and told. */
export function withModelsInFull(config: Json): { config: Json; unknown: string[] } {
  const unknown: string[] = []
  const aliases = aliasesIn(config)
  const inFull = mapModels(config, (id, path) => {
    const model = resolveModelId(id, aliases)
    if (model === undefined) unknown.push(path.join('.'))
    return model
  })
  return { config: inFull, unknown }
}
