// Where Gemini CLI keeps a person's MCP servers.
import { joinIn } from '../environment.ts'
import type { McpHost } from '../mcp-host.ts'
import { agentFolder } from './sessions.ts'

export const mcp: McpHost = {
  files: environment => [joinIn(environment, agentFolder(environment), 'settings.json')],
  format: 'json',
  servers: 'mcpServers',
  entry: (command, args) => ({ command, args: [...args] }),
}
