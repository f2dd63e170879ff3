// Where Claude Code keeps a person's MCP servers.
import { inHome, joinIn, variable } from '../environment.ts'
import type { McpHost } from '../mcp-host.ts'

export const mcp: McpHost = {
  files(environment) {
    const moved = variable(environment, 'CLAUDE_CONFIG_DIR')
    return [moved === undefined ? inHome(environment, '.claude.json') : joinIn(environment, moved, '.claude.json')]
  },
  format: 'json',
  servers: 'mcpServers',
  entry: (command, args) => ({ type: 'stdio', command, args: [...args] }),
}
