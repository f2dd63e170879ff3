// Where the agent stores its files, and where it is installed.
import type { Environment } from '../environment.ts'
import { configFolder, inHome, joinIn, variable } from '../environment.ts'
import type { Installed } from '../stores/installed.ts'
import { findInstalled } from '../stores/installed.ts'

export function configFolders(environment: Environment): string[] {
  const moved = variable(environment, 'CLAUDE_CONFIG_DIR')
  if (moved !== undefined) return [moved]
  return [inHome(environment, '.claude'), joinIn(environment, configFolder(environment), 'claude')]
}

export function installed(environment: Environment): Installed | undefined {
  return findInstalled(environment, 'claude', '@anthropic-ai/claude-code')
}
