// How a Model Context Protocol server is added to an agent, in the person's own settings.
import type { Environment } from './environment.ts'

/** In receipts of settings, where a repair has the class of its damage. */
export const MCP_SETTING = 'mcp-setting'

export interface McpHost {
  /**
   * The settings file, in the order in which the agent prefers them. The first is created where none exists.
   */
  files(environment: Environment): string[]
  format: 'json' | 'toml'
  /** The name of the object or table that holds the servers. */
  servers: string
  entry(command: string, args: readonly string[]): Record<string, unknown>
}
