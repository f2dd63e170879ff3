// Where OpenCode keeps a person's MCP servers.
import { configFolder, joinIn, variable } from '../environment.ts'
import type { McpHost } from '../mcp-host.ts'

export const mcp: McpHost = {
  files(environment) {
    const named = variable(environment, 'OPENCODE_CONFIG')
    const own = ['opencode.json', 'opencode.jsonc', 'config.json']
    const folder = joinIn(environment, configFolder(environment), 'opencode')
    return named === undefined ? own.map(name => joinIn(environment, folder, name)) : [named]
  },
  format: 'json',
  servers: 'mcp',
  entry: (command, args) => ({ type: 'local', command: [command, ...args], enabled: true }),
}
