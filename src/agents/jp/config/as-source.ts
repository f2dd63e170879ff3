// The configuration of the workspace as the base config of a conversation: in full, and in the order in which JP writes it.
import type { Json } from '../../stores/values.ts'
import type { ConfigPlaces } from './places.ts'
import { readWorkspaceConfig, type WorkspaceConfig, withModelsInFull } from './workspace-config.ts'

const ORDER = [
  ...['config_load_paths', 'assistant', 'conversation', 'style', 'interrupt', 'editor', 'template', 'providers'],
  ...['plugins', 'user'],
]

/** What JP needs and no file says is not in it. */
export function workspaceBaseConfig(places: ConfigPlaces): WorkspaceConfig {
  const read = readWorkspaceConfig(places)
  if (read.config === undefined) return read
  const { config, unknown } = withModelsInFull(read.config)
  const notes = unknown.map(path => `${path} is neither provider/name nor an alias`)
  return { config: ordered(config), notes: [...read.notes, ...notes] }
}

/** What is in none of its sections means nothing to JP, and may be anything: a file can extend any other. */
function ordered(config: Json): Json {
  const known = Object.entries(config).filter(([name]) => ORDER.includes(name))
  return Object.fromEntries(known.toSorted(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)))
}
