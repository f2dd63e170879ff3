// Where Codex keeps a person's MCP servers.
import { joinIn } from '../environment.ts'
import type { McpHost } from '../mcp-host.ts'
import { codexHome } from './archive.ts'

export const mcp: McpHost = {
  files: environment => [joinIn(environment, codexHome(environment), 'config.toml')],
  format: 'toml',
  servers: 'mcp_servers',
  entry: (command, args) => ({ command, args: [...args] }),
}
