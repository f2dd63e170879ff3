// Where the agent keeps its files.
import type { Environment } from '../environment.ts'
import { configFolder, inHome, joinIn, variable } from '../environment.ts'

export function configFolders(environment: Environment): string[] {
  const moved = variable(environment, 'CLAUDE_CONFIG_DIR')
  if (moved !== undefined) return [moved]
  return [inHome(environment, '.claude'), joinIn(environment, configFolder(environment), 'claude')]
}
